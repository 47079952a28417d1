// Without the fonts that VitePress brings: the ones that the visitor has are here already.
import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import LiveExample from './live/LiveExample.vue'
import './live/live.css'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('LiveExample', LiveExample),
} satisfies Theme
