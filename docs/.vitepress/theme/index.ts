import type { Theme } from 'vitepress'
// Without the fonts that VitePress brings: the ones that the visitor has are here already.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { framework, showTarget } from './choice/choices.ts'
import FrameworkPicker from './choice/FrameworkPicker.vue'
import PackageManagers from './choice/PackageManagers.vue'
import Landing from './live/Landing.vue'
import LiveExample from './live/LiveExample.vue'
import NotFound from './NotFound.vue'
import Replay from './replay/Replay.vue'
import './choice/choice.css'
import './live/live.css'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'not-found': () => h(NotFound),
      'sidebar-nav-before': () => h(FrameworkPicker),
      'doc-before': () => h('div', { class: 'framework-picker-of-page' }, h(FrameworkPicker)),
    }),
  enhanceApp({ app }) {
    app.component('PackageManagers', PackageManagers)
    app.component('LiveExample', LiveExample)
    app.component('Landing', Landing)
    app.component('Replay', Replay)
    if (typeof window === 'undefined') return
    framework.restore()
    // Before the router scrolls there.
    addEventListener(
      'click',
      ({ target }) => target instanceof Element && showTarget(target.closest('a')?.hash ?? ''),
      {
        capture: true,
      },
    )
    addEventListener('hashchange', () => showTarget(location.hash))
    addEventListener('load', () => showTarget(location.hash))
  },
} satisfies Theme
