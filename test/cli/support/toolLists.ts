/** The tool of docs/typed-tools.md. */
export const documented: readonly object[] = [
  {
    name: 'generate_report',
    description: 'Writes the report of a quarter. Takes half a minute.',
    inputSchema: {
      type: 'object',
      properties: {
        quarter: { type: 'string', enum: ['Q1', 'Q2', 'Q3', 'Q4'] },
        regions: { type: 'array', items: { type: 'string' } },
      },
      required: ['quarter'],
    },
    outputSchema: {
      type: 'object',
      properties: { title: { type: 'string' }, total: { type: 'number' } },
      required: ['title', 'total'],
    },
  },
  {
    name: 'echo_text',
    description: 'Returns the text of its argument.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
]

/** Lists of tools, each with the file in `golden` that holds the module made of it. */
export const toolLists: Readonly<Record<string, readonly object[]>> = {
  reports: [
    {
      name: 'make_report',
      description: 'Writes a report.\nTakes a minute. */ export const evil = 1 /*',
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          quarter: { type: 'string', enum: ['Q1', 'Q2'], description: 'Which quarter. */ evil()' },
          pages: { type: 'integer', minimum: 1 },
          tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
        },
        required: ['quarter'],
      },
      outputSchema: {
        type: 'object',
        properties: { title: { type: 'string' }, total: { type: ['number', 'null'] } },
        required: ['title', 'total'],
        additionalProperties: false,
      },
    },
    { name: 'no_output', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } },
    { name: 'no_arguments', inputSchema: { type: 'object' } },
    { name: 'empty_arguments', inputSchema: { type: 'object', properties: {}, additionalProperties: false } },
    { name: 'any_arguments', inputSchema: { type: 'object', additionalProperties: true } },
  ],

  references: [
    {
      name: 'save_tree',
      inputSchema: {
        type: 'object',
        properties: { root: { $ref: '#/$defs/node' }, owner: { $ref: '#/$defs/Person' } },
        required: ['root'],
        $defs: {
          node: {
            type: 'object',
            properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
            required: ['label'],
          },
          Person: { type: 'object', properties: { name: { type: 'string' } } },
        },
      },
      outputSchema: {
        $ref: '#/definitions/Person',
        definitions: { Person: { type: 'object', properties: { id: { type: 'integer' } } } },
      },
    },
    {
      name: 'itself',
      inputSchema: { type: 'object', title: 'Itself', properties: { inner: { $ref: '#' } } },
    },
  ],

  unions: [
    {
      name: 'draw',
      inputSchema: {
        type: 'object',
        properties: {
          shape: {
            oneOf: [
              {
                type: 'object',
                properties: { kind: { const: 'circle' }, r: { type: 'number' } },
                required: ['kind', 'r'],
              },
              {
                type: 'object',
                properties: { kind: { const: 'square' }, a: { type: 'number' } },
                required: ['kind', 'a'],
              },
            ],
          },
          mixed: { enum: ['a', 1, true, null] },
          point: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
          both: {
            allOf: [
              { type: 'object', properties: { x: { type: 'string' } } },
              { type: 'object', properties: { y: { type: 'string' } } },
            ],
          },
          numbers: { type: 'object', additionalProperties: { type: 'number' } },
          extra: { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: { type: 'number' } },
          anything: true,
          something: { description: 'Whatever it is' },
          oneOfTwo: {
            type: 'object',
            properties: { a: { type: 'string' } },
            anyOf: [{ required: ['a'] }, { required: ['b'] }],
          },
          nothing: false,
          description: { type: 'string' },
        },
      },
    },
  ],

  names: [
    { name: 'files/read-all', inputSchema: { type: 'object', properties: { 'max-bytes': { type: 'number' } } } },
    { name: 'files.read_all', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
    { name: '2nd', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
    { name: 'tools', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
    { name: 'öl', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
    { name: '__proto__', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
    { name: 'line\u2028export const evil = 1', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
  ],

  hostile: [
    {
      name: 'hostile',
      description: '*/\r\nexport const evil = 1',
      inputSchema: {
        type: 'object',
        title: 'x */ }\nexport const evil = 2\n//',
        tsType: 'string\nexport const evil = 3',
        properties: {
          tsType: { type: 'string', tsType: '1; export const evil = 4' },
          "it's */ 'quoted'\n": { type: 'string' },
          kind: { enum: ["'; export const evil = 5; '", '*/', '`evil`', 'a\nb'], tsEnumNames: ['A', 'evil'] },
        },
        extends: 'evil',
      },
    },
  ],

  unknowns: [
    {
      name: 'elsewhere',
      inputSchema: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:9/schema.json' } } },
    },
    { name: 'from_a_file', inputSchema: { type: 'object', properties: { a: { $ref: '/etc/hostname' } } } },
    { name: 'missing', inputSchema: { type: 'object' }, outputSchema: { $ref: '#/$defs/none' } },
    { name: 'no_schema' },
    { name: 'nonsense', inputSchema: { type: 'object', properties: { a: { type: 'nonsense' } } } },
  ],
}
