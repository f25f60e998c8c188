/**
 * Who may import whom, from the ground up. A package may import those of lower floors, and those that its own row names.
 * `npm test` also asserts that all modules were seen: a checker that reads nothing finds nothing.
 */
const MAY_IMPORT = {
  contract: [],
  client: [],
  log: ['contract'],
  config: ['contract', 'log'],
  'document-store': [],
  events: ['contract', 'config', 'log'],
  secrets: ['config'],
  database: ['contract', 'config', 'log', 'secrets'],
  'onnx-runtime': [],
  providers: ['contract', 'log', 'events', 'onnx-runtime'],
  blobs: ['contract', 'log'],
  sandbox: ['contract', 'log'],
  media: ['contract', 'log', 'sandbox'],
  pdf: ['contract'],
  ocr: ['contract', 'log', 'pdf', 'sandbox'],
  documents: ['contract', 'log', 'pdf', 'sandbox'],
  outbound: ['contract', 'log'],
  speech: ['contract', 'config', 'log', 'media', 'onnx-runtime', 'sandbox'],
  search: ['contract', 'log'],
  accounts: ['contract', 'config', 'log', 'database', 'events'],
  conversations: ['contract', 'config', 'log', 'database', 'events', 'executions', 'text-search'],
  executions: ['contract', 'config', 'log', 'database', 'events'],
  'text-search': ['contract', 'log', 'database', 'search'],
  archive: ['contract', 'database', 'text-search'],
  assets: ['contract', 'config', 'log', 'database', 'blobs', 'media'],
  provenance: ['contract', 'config', 'log', 'database', 'media', 'sandbox'],
  knowledge: ['contract', 'config', 'log', 'database', 'events', 'executions', 'blobs', 'assets', 'search'],
  iris: ['contract', 'config', 'log', 'database', 'events', 'executions'],
  webhooks: ['contract', 'config', 'log', 'database', 'executions', 'outbound'],
  queue: ['contract', 'config', 'log', 'database', 'events', 'executions'],
  'worker-kit': ['contract', 'config', 'log', 'secrets', 'database', 'events', 'executions', 'sandbox'],
  batches: ['contract', 'config', 'log', 'database', 'events', 'executions', 'iris', 'queue'],
};
const DOMAIN = [
  'accounts',
  'archive',
  'assets',
  'conversations',
  'executions',
  'iris',
  'knowledge',
  'provenance',
  'speech',
  'text-search',
  'webhooks',
];
const GROUND = [
  'contract',
  'config',
  'log',
  'secrets',
  'events',
  'database',
  'blobs',
  'media',
  'outbound',
  'sandbox',
  'search',
];

/** The one place of an app that loads another one: the API serves the voice socket. */
const SERVES_VOICE = '^apps/api/src/serve-voice\\.ts$';

/** The modules that load decoders of pictures, PDFs, videos, sounds and signatures. */
const OPENS_UNTRUSTED_FILES = [
  '^packages/media/src/(load-sharp|video-main)\\.ts$',
  '^packages/ocr/src/(child|image)/',
  '^packages/documents/src/(parser-main|parse-file)\\.ts$',
  '^packages/provenance/src/c2pa-main\\.ts$',
  '^packages/speech/src/sound-main\\.ts$',
];

const folders = (names) => `^packages/(${names.join('|')})/`;

const packageRules = Object.entries(MAY_IMPORT).map(([name, allowed]) => ({
  name: `${name}-imports-only-what-lies-below`,
  comment: `packages/${name} may import ${allowed.join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: '\\.test\\.ts$|/test-' },
  to: { path: '^(packages|apps|workers|scripts|test)/', pathNot: folders([name, ...allowed]) },
}));

export default {
  forbidden: [
    ...packageRules,
    {
      name: 'untrusted-files-are-opened-by-children-alone',
      comment: 'Decoders of files are loaded by sandboxed programs, never by an app or a worker itself',
      severity: 'error',
      from: { path: '^(apps/(api|voice)|workers/[^/]+)/src/main\\.ts$' },
      to: { path: OPENS_UNTRUSTED_FILES, reachable: true },
    },
    {
      name: 'models-are-run-without-telemetry',
      comment: 'ONNX Runtime is loaded by the one module that keeps it from telling its maker',
      severity: 'error',
      from: { pathNot: '^packages/onnx-runtime/' },
      to: { path: 'node_modules/onnxruntime-node' },
    },
    {
      name: 'apps-import-the-domain-and-the-queue',
      comment: 'Apps never import worker-kit, providers or workers: what can be run they read from Redis',
      severity: 'error',
      // What a user runs first, under any Node, hands over as the scripts of npm do.
      from: {
        path: '^apps/([^/]+)/',
        pathNot: ['\\.test\\.ts$|/test-', '^apps/cli/bin/', '^apps/console/', '^apps/voice/', SERVES_VOICE],
      },
      to: {
        path: '^(packages|apps|workers|scripts|test)/',
        pathNot: [folders([...GROUND, ...DOMAIN, 'queue', 'batches', 'client']), '^apps/$1/'],
      },
    },
    {
      name: 'commands-for-anywhere-know-the-client-alone',
      comment: 'What works from any machine knows of the platform what any client of its HTTP API knows',
      severity: 'error',
      from: { path: '^apps/cli/src/remote/', pathNot: '\\.test\\.ts$|/test-' },
      to: {
        path: '^(packages|apps|workers|scripts|test)/',
        pathNot: [folders(['client']), '^apps/cli/src/'],
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
      name: 'workers-import-the-domain-and-the-kit',
      comment: 'Workers never import apps or each other; only a main.ts may hand its handlers what the queue offers',
      severity: 'error',
      from: { path: '^workers/([^/]+)/', pathNot: '\\.test\\.ts$|/test-' },
      to: {
        path: '^(packages|apps|workers|scripts|test)/',
        pathNot: [
          folders([...GROUND, ...DOMAIN, 'providers', 'ocr', 'documents', 'worker-kit', 'queue', 'batches']),
          '^workers/$1/',
        ],
      },
    },
    {
      name: 'only-a-worker-main-imports-the-queue',
      severity: 'error',
      from: { path: '^workers/', pathNot: ['/main\\.ts$', '\\.test\\.ts$', '/test-'] },
      to: { path: '^packages/(queue|batches)/' },
    },
    {
      name: 'packages-are-entered-by-their-face',
      comment: 'From outside, a package is its src/index.ts',
      severity: 'error',
      from: { path: '^(packages|apps|workers)/([^/]+)/' },
      to: { path: '^packages/', pathNot: ['^$1/$2/', '^packages/[^/]+/src/index\\.ts$'] },
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
    exclude: { path: '(^|/)(node_modules|dist)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
