import { defineConfig } from 'vite'
import { mcp } from './mcp.ts'

export default defineConfig({ plugins: [mcp()] })
