/**
 * Lists which packages each package may import, from the ground up.
 * `npm test` also asserts that all modules were seen: a checker that reads no files reports no violations.
 */
const MAY_IMPORT = {
  contract: [],
  client: [],
  'runtime/src/log': ['contract'],
  'runtime/src/timing': [],
  'runtime/src/memory': [],
  'runtime/src/metrics': ['runtime/src/timing'],
  'runtime/src/tracing': ['runtime/src/log'],
  'runtime/src/components': ['contract'],
  'runtime/src/addresses': [],
  'runtime/src/config': ['contract', 'runtime/src/addresses', 'runtime/src/log', 'runtime/src/memory'],
  'document-store': [],
  'events/src/connection': ['runtime/src/addresses', 'runtime/src/log'],
  events: ['contract', 'runtime/src/config', 'runtime/src/log', 'events/src/connection'],
  secrets: ['runtime/src/config'],
  database: ['contract', 'runtime/src/addresses', 'runtime/src/config', 'runtime/src/log', 'secrets'],
  'runtime/src/turns': [],
  lanes: ['contract', 'runtime/src/log', 'runtime/src/turns', 'events'],
  codecs: [],
  canvas: ['codecs'],
  'embedded-models/src/onnx-runtime': [],
  'embedded-models': ['contract', 'runtime/src/log', 'runtime/src/turns', 'canvas', 'embedded-models/src/onnx-runtime'],
  'providers/src/usage': ['contract'],
  providers: [
    'contract',
    'runtime/src/components',
    'runtime/src/log',
    'runtime/src/turns',
    'events',
    'embedded-models',
    'lanes',
  ],
  blobs: ['contract', 'runtime/src/log'],
  sandbox: ['contract', 'runtime/src/log'],
  media: ['contract', 'codecs', 'runtime/src/components', 'runtime/src/log', 'sandbox'],
  'documents/src/pdf': ['contract'],
  ocr: ['contract', 'runtime/src/components', 'runtime/src/log', 'documents/src/pdf', 'sandbox'],
  documents: ['contract', 'runtime/src/components', 'runtime/src/log', 'sandbox'],
  outbound: ['contract', 'runtime/src/log'],
  speech: [
    'contract',
    'codecs',
    'runtime/src/components',
    'runtime/src/config',
    'runtime/src/log',
    'media',
    'embedded-models/src/onnx-runtime',
    'sandbox',
  ],
  search: ['contract', 'runtime/src/components', 'runtime/src/log'],
  accounts: ['contract', 'runtime/src/config', 'runtime/src/log', 'database', 'events'],
  conversations: [
    'contract',
    'runtime/src/config',
    'runtime/src/log',
    'database',
    'events',
    'executions',
    'providers/src/usage',
    'search/src/records',
  ],
  executions: [
    'contract',
    'runtime/src/config',
    'runtime/src/log',
    'runtime/src/tracing',
    'database',
    'events',
    'lanes',
    'providers/src/usage',
  ],
  'search/src/records': ['contract', 'runtime/src/log', 'database', 'search'],
  archive: ['contract', 'database', 'search/src/records'],
  assets: ['contract', 'runtime/src/config', 'runtime/src/log', 'database', 'blobs', 'media'],
  provenance: [
    'contract',
    'runtime/src/components',
    'runtime/src/config',
    'runtime/src/log',
    'database',
    'media',
    'sandbox',
  ],
  knowledge: [
    'contract',
    'runtime/src/config',
    'runtime/src/log',
    'database',
    'events',
    'executions',
    'blobs',
    'assets',
    'providers/src/usage',
    'search',
  ],
  'agent-tools': [
    'contract',
    'runtime/src/log',
    'runtime/src/turns',
    'database',
    'events',
    'executions',
    'outbound',
    'assets',
    'knowledge',
  ],
  jobs: [
    'contract',
    'runtime/src/config',
    'runtime/src/log',
    'database',
    'events',
    'executions',
    'conversations',
    'knowledge',
    'media',
  ],
  webhooks: ['contract', 'runtime/src/config', 'runtime/src/log', 'database', 'executions', 'outbound'],
  queue: [
    'contract',
    'runtime/src/config',
    'runtime/src/log',
    'database',
    'events',
    'executions',
    'lanes',
    'providers/src/usage',
  ],
  'worker-kit': [
    'contract',
    'runtime/src/components',
    'runtime/src/config',
    'runtime/src/log',
    'runtime/src/metrics',
    'runtime/src/tracing',
    'secrets',
    'database',
    'events',
    'executions',
    'lanes',
    'providers/src/usage',
    'sandbox',
  ],
  batches: [
    'contract',
    'runtime/src/config',
    'runtime/src/log',
    'database',
    'events',
    'executions',
    'jobs',
    'lanes',
    'queue',
  ],
};
const DOMAIN = [
  'agent-tools',
  'accounts',
  'archive',
  'assets',
  'conversations',
  'executions',
  'jobs',
  'knowledge',
  'provenance',
  'speech',
  'webhooks',
];
const GROUND = [
  'contract',
  'runtime/src/components',
  'runtime/src/config',
  'runtime/src/log',
  'runtime/src/metrics',
  'runtime/src/timing',
  'runtime/src/tracing',
  'secrets',
  'events',
  'database',
  'blobs',
  'media',
  'outbound',
  'providers/src/usage',
  'sandbox',
  'search',
];

/** The only place where an app loads another one: the API serves the voice socket. */
const SERVES_VOICE = '^apps/api/src/serve-voice\\.ts$';

/** Modules that load decoders of images, PDFs, videos, audio, and signatures. */
const OPENS_UNTRUSTED_FILES = [
  '^packages/media/src/(load-sharp|video-main)\\.ts$',
  '^packages/ocr/src/(child|image)/',
  '^packages/documents/src/(parser-main|parse-file)\\.ts$',
  '^packages/provenance/src/c2pa-main\\.ts$',
  '^packages/speech/src/sound-main\\.ts$',
];

const folders = (names) => `^packages/(${names.join('|')})/`;

/** Folders of a package that have separate rules. */
const nested = (name) => Object.keys(MAY_IMPORT).filter((other) => other.startsWith(`${name}/`));

/** Imports nothing of ours, so every package but these three may use it. */
const TIMING = 'runtime/src/timing';
const STANDS_ALONE = ['contract', 'client', 'document-store'];

const packageRules = Object.entries(MAY_IMPORT).map(([name, allowed]) => ({
  name: `${name}-imports-only-what-lies-below`,
  comment: `packages/${name} may import ${allowed.join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: {
    path: `^packages/${name}/`,
    pathNot: ['\\.test\\.ts$|/test-', ...nested(name).map((folder) => `^packages/${folder}/`)],
  },
  to: {
    path: '^(packages|apps|workers|scripts|test)/',
    pathNot: folders([name, ...allowed, ...(STANDS_ALONE.includes(name) ? [] : [TIMING])]),
  },
}));

/** The entry points that package.json files export. */
const ENTRIES =
  '^packages/([^/]+/src|codecs/src/(h264|picture|sound)|runtime/src/(addresses|components|config|log|metrics|timing|tracing|turns)|contract/src/(errors|names)|events/src/connection|embedded-models/src/onnx-runtime|sandbox/src/child|search/src/records|documents/src/pdf|providers/src/usage|knowledge/src/answering|agent-tools/src/toolbox)/index\\.ts$';

export default {
  forbidden: [
    ...packageRules,
    {
      name: 'untrusted-files-are-opened-by-children-alone',
      comment: 'Decoders of files are loaded by sandboxed programs, never by an app or a worker itself',
      severity: 'error',
      from: { path: '^(apps/(api|voice|maintenance|background)|workers/[^/]+)/src/main\\.ts$' },
      to: { path: OPENS_UNTRUSTED_FILES, reachable: true },
    },
    {
      name: 'models-are-run-without-telemetry',
      comment: 'ONNX Runtime is loaded by the one module that turns its telemetry off',
      severity: 'error',
      from: { pathNot: '^packages/embedded-models/src/onnx-runtime/' },
      to: { path: '(^|/)onnxruntime-(node|web|common)($|/)' },
    },
    {
      name: 'apps-import-the-domain-and-the-queue',
      comment: 'Apps never import worker-kit, providers or workers: what can be run they read from Redis',
      severity: 'error',
      // apps/cli/bin runs under any Node and hands over to the right one, like the npm scripts.
      from: {
        path: '^apps/([^/]+)/',
        pathNot: [
          '\\.test\\.ts$|/test-',
          '^apps/cli/bin/',
          '^apps/(background|console|maintenance|voice)/',
          SERVES_VOICE,
        ],
      },
      to: {
        path: '^(packages|apps|workers|scripts|test)/',
        pathNot: [folders([...GROUND, ...DOMAIN, 'queue', 'batches', 'client']), '^apps/$1/'],
      },
    },
    {
      name: 'http-knows-no-responses',
      comment: 'Serving a route needs its declaration alone; responses build on it',
      severity: 'error',
      from: { path: '^apps/api/src/http/', pathNot: '\\.test\\.ts$|/test-' },
      to: { path: '^apps/api/src/(executes\\.ts$|(responses|routes|knowledge|batches)/)' },
    },
    {
      name: 'the-chorus-command-imports-the-client-alone',
      comment: 'It works from any machine, and is published as one file; commands of operators are in admin',
      severity: 'error',
      from: { path: '^apps/cli/src/', pathNot: '^apps/cli/src/admin/|\\.test\\.ts$|/test-' },
      to: {
        path: '^(packages|apps|workers|scripts|test)/',
        pathNot: [folders(['client']), '^apps/cli/(src/(?!admin/)|package\\.json$)'],
      },
    },
    {
      name: 'the-api-serves-the-voice-socket',
      comment: 'One module of the API loads it, by its face',
      severity: 'error',
      from: { path: SERVES_VOICE },
      to: {
        path: '^(packages|apps|workers|scripts|test)/',
        pathNot: [folders([...GROUND, ...DOMAIN, 'queue']), '^apps/api/', '^apps/voice/src/index\\.ts$'],
      },
    },
    {
      name: 'the-voice-socket-hears-and-speaks-itself',
      comment: 'For latency it imports providers, as no other app does; never the API',
      severity: 'error',
      from: { path: '^apps/voice/', pathNot: '\\.test\\.ts$|/test-' },
      to: {
        path: '^(packages|apps|workers|scripts|test)/',
        pathNot: [folders([...GROUND, ...DOMAIN, 'providers', 'queue']), '^apps/voice/'],
      },
    },
    {
      name: 'the-console-knows-the-client-alone',
      comment: 'What runs in browsers knows of the platform what any client of its HTTP API knows',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: {
        path: '^(packages|apps|workers|scripts|test)/',
        pathNot: [folders(['client']), '^apps/console/'],
      },
    },
    {
      name: 'the-parts-of-the-console-stand-alone',
      comment: 'A part of the console imports what all share, and nothing of another part',
      severity: 'error',
      from: { path: '^apps/console/src/features/([^/]+)/' },
      to: { path: '^apps/console/src/features/', pathNot: '^apps/console/src/features/$1/' },
    },
    {
      name: 'the-background-process-starts-the-others',
      comment: 'It imports workers and the upkeep by their faces, and has no logic',
      severity: 'error',
      from: { path: '^apps/background/' },
      to: {
        path: '^(packages|apps|workers|scripts|test)/',
        pathNot: [
          folders(['runtime/src/log', 'providers', 'worker-kit']),
          '^(workers/[^/]+|apps/maintenance)/src/start\\.ts$',
        ],
      },
    },
    {
      name: 'workers-import-the-domain-and-the-kit',
      comment: 'Workers and apps/maintenance never import apps or each other; only a start.ts imports the queue',
      severity: 'error',
      from: { path: '^(workers/[^/]+|apps/maintenance)/', pathNot: '\\.test\\.ts$|/test-' },
      to: {
        path: '^(packages|apps|workers|scripts|test)/',
        pathNot: [
          folders([
            ...GROUND,
            ...DOMAIN,
            'providers',
            'ocr',
            'documents',
            'worker-kit',
            'queue',
            'batches',
            'runtime/src/turns',
          ]),
          '^$1/',
        ],
      },
    },
    {
      name: 'requests-are-planned-before-the-queue',
      comment: 'Workers run planned input; only the voice worker begins another job, the chat turn',
      severity: 'error',
      from: { path: '^workers/', pathNot: ['^workers/voice/', '\\.test\\.ts$', '/test-'] },
      to: { path: '^packages/jobs/' },
    },
    {
      name: 'only-the-start-of-a-worker-imports-the-queue',
      severity: 'error',
      from: { path: '^(workers|apps/maintenance)/', pathNot: ['/start\\.ts$', '\\.test\\.ts$', '/test-'] },
      to: { path: '^packages/(queue|batches)/' },
    },
    {
      name: 'packages-are-entered-by-their-face',
      comment: 'From outside, a package is what its package.json exports',
      severity: 'error',
      from: { path: '^(packages|apps|workers)/([^/]+)/' },
      to: { path: '^packages/', pathNot: ['^$1/$2/', ENTRIES] },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: '^(packages|apps|workers)/', pathNot: ['\\.test\\.ts$', '/test-', '^packages/testing/'] },
      to: { path: '^packages/testing/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'nothing-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'dependencies-are-declared',
      comment: 'Dependencies must be in a package.json',
      severity: 'error',
      from: { path: '^(packages|apps|workers)/', pathNot: '\\.test\\.ts$|/test-' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(apps|packages|workers)/[^/]+/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
