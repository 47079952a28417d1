import type { Theme } from 'vitepress'
// Without the fonts that VitePress brings: the ones that the visitor has are here already.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import Landing from './live/Landing.vue'
import LiveExample from './live/LiveExample.vue'
import NotFound from './NotFound.vue'
import './live/live.css'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': () => h(NotFound) }),
  enhanceApp({ app }) {
    app.component('LiveExample', LiveExample)
    app.component('Landing', Landing)
  },
} satisfies Theme
