import { type JobFixture } from './jobFixture.js'
export declare const FIXTURES: readonly JobFixture[]
//# sourceMappingURL=fixtures.d.ts.map
