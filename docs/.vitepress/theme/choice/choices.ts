import { ref } from 'vue'

/** Something that a reader chooses once for all pages. It stands at the element of the page, where styles read it. */
function createChoice(name: string, first: string) {
  const value = ref(first)

  return {
    value,
    /** What was chosen before, once the page is there. */
    restore: () => (value.value = document.documentElement.dataset[name] ?? first),
    choose(next: string): void {
      value.value = next
      document.documentElement.dataset[name] = next
      try {
        localStorage.setItem(`taskwire-docs-${name}`, next)
      } catch {
        // Without a storage the choice lasts as long as the page.
      }
    },
  }
}

export const framework = createChoice('framework', 'all')
export const manager = createChoice('manager', 'npm')

/** Shows the section that an address leads to, where it is for another framework than the chosen one. */
export function showTarget(hash: string): void {
  const target = hash === '' ? null : document.getElementById(decodeURIComponent(hash.slice(1)))
  const section = target?.closest<HTMLElement>('.for-framework')
  const wanted = section?.dataset['for']
  if (wanted !== undefined && framework.value.value !== 'all' && framework.value.value !== wanted)
    framework.choose(wanted)
}
