import { useState } from 'react'
import { endings, type RenderInput, shotIds } from '../../shared/render.js'
import { OfSecondTab } from '../magic/OfSecondTab.js'
import { isBeside } from '../switches.js'
import { FarmStatus } from './FarmStatus.js'
import { ShotCard } from './ShotCard.js'

/** The shots of the film, each with its render. */
export function Shots() {
  const [choices, setChoices] = useState<Pick<RenderInput, 'seconds' | 'ending'>>({ seconds: 20, ending: 'goes well' })
  return (
    <section className="panel shots" aria-labelledby="shots">
      <header className="panel-header">
        <h2 id="shots">
          Shots
          <OfSecondTab />
        </h2>
        {!isBeside && <FarmStatus />}
        {!isBeside && (
          <div className="choices">
            <label>
              <span className="muted">A render takes</span>
              <select
                value={choices.seconds}
                onChange={(event) => setChoices({ ...choices, seconds: Number(event.currentTarget.value) })}
              >
                {[6, 20, 60].map((seconds) => (
                  <option key={seconds} value={seconds}>
                    {seconds} s
                  </option>
                ))}
              </select>
            </label>
            <label>
              <span className="muted">and</span>
              <select
                aria-label="and it"
                value={choices.ending}
                onChange={({ currentTarget: { value } }) =>
                  setChoices({ ...choices, ending: endings.find((ending) => ending === value) ?? 'goes well' })
                }
              >
                {endings.map((ending) => (
                  <option key={ending}>{ending}</option>
                ))}
              </select>
            </label>
          </div>
        )}
      </header>
      <ul className="shot-list">
        {shotIds.map((shot) => (
          <ShotCard key={shot} shot={shot} choices={choices} />
        ))}
      </ul>
    </section>
  )
}
