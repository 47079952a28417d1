// Without the fonts that VitePress brings: the ones that the visitor has are here already.
import DefaultTheme from 'vitepress/theme-without-fonts'
import './style.css'

export default DefaultTheme
