import { OfSecondTab } from '../magic/OfSecondTab.js'
import { Dailies } from './Dailies.js'
import { DeskItem } from './DeskItem.js'
import { deskTools } from './deskTools.js'

export function Desk() {
  return (
    <section className="panel desk" aria-labelledby="desk">
      <header className="panel-header">
        <h2 id="desk">
          Desk
          <OfSecondTab />
        </h2>
      </header>
      <ul>
        {deskTools.map((tool) => (
          <DeskItem key={tool.name} tool={tool} />
        ))}
        <Dailies />
      </ul>
    </section>
  )
}
