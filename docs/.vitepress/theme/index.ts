// Without the fonts that VitePress brings: the ones that the visitor has are here already.
import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import Landing from './live/Landing.vue'
import LiveExample from './live/LiveExample.vue'
import './live/live.css'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('LiveExample', LiveExample)
    app.component('Landing', Landing)
  },
} satisfies Theme
