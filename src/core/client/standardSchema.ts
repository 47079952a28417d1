/** Any schema that speaks Standard Schema: zod, valibot, arktype and others. */
export type { StandardSchemaV1 } from '@standard-schema/spec'
