import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';

/** `npx vite apps/console` serves the console for development, with the API at CHORUS_URL. */
const api = process.env.CHORUS_URL ?? 'http://127.0.0.1:8080';

/**
 * Loads the styles of each Mantine component together with the component. The complete style sheet is three
 * times as large.
 */
const mantineStyles: Plugin = {
  name: 'mantine-styles',
  transform(code, id) {
    const name = /@mantine\/core\/esm\/(?:components|utils)\/.*\/(\w+)\.module\.mjs$/.exec(id)?.[1];
    return name === undefined ? null : { code: `import '@mantine/core/styles/${name}.layer.css';\n${code}`, map: null };
  },
};

const messagesFolder = join(import.meta.dirname, 'src/i18n/messages');

const LOAD_MESSAGES = /\/i18n\/load-messages\.ts$/;

/**
 * Compiles messages, so that browsers do not load a parser. Their file names follow from language, area, and a digest
 * of all messages, so that the first page does not list them.
 */
function messages(): Plugin {
  const files = globSync('*/*.json', { cwd: messagesFolder })
    .sort()
    .map((path) => ({
      name: path.replace('/', '-').replace('.json', ''),
      text: readFileSync(join(messagesFolder, path)),
    }));
  const digest = createHash('sha256');
  for (const { text } of files) digest.update(text);
  const version = digest.digest('hex').slice(0, 8);
  return {
    name: 'messages',
    apply: 'build',
    load: {
      filter: { id: LOAD_MESSAGES },
      handler: () => `export const loadMessages = async (language, area) =>
        (await import(/* @vite-ignore */ \`./messages-\${language}-\${area}-${version}.js\`)).default;`,
    },
    generateBundle() {
      for (const { name, text } of files) {
        const compiled = Object.entries<string>(JSON.parse(text.toString())).map(([key, value]) => [
          key,
          tokensOf(value),
        ]);
        const source = `export default ${JSON.stringify(Object.fromEntries(compiled))}`;
        this.emitFile({ type: 'asset', fileName: `assets/messages-${name}-${version}.js`, source });
      }
    },
    transformIndexHtml: () => [
      // Before first-paint.js, which reads it.
      { tag: 'meta', attrs: { name: 'messages', content: version }, injectTo: 'head-prepend' },
    ],
  };
}

/** Lingui treats only lists as compiled messages. */
function tokensOf(text: string) {
  const compiled = compileMessage(text);
  return typeof compiled === 'string' ? [compiled] : compiled;
}

const CHAT = 'chat';

/** Fonts of other alphabets, and the 3 MB diagram library, load only when a page needs them. */
const RARE = /inter-(?!latin-wght)|mermaid/;

/** Dialogs may be needed on any page, at any time. */
const URGENT = /^assets\/modal-/;

/** The letters of most pages. */
const FONT = /inter-latin-wght-normal.*\.woff2$/;

const link = (attrs: Record<string, string>): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { crossorigin: true, ...attrs },
});

/**
 * Preloads the font and the files of the first page, which would otherwise load only after the shell has run. Style
 * sheets come last, so that they do not delay the page's outline.
 */
const firstPage: Plugin = {
  name: 'first-page',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const names = Object.keys(bundle);
      const fonts = names.filter((name) => FONT.test(name));
      const chat = Object.values(bundle).filter((part) =>
        (part.type === 'chunk' ? [part.name] : part.names).some((name) => name === CHAT || name === `${CHAT}.css`),
      );
      const ofChat = (rel: string, type: 'chunk' | 'asset') =>
        chat.filter((part) => part.type === type).map(({ fileName }) => link({ rel, href: `./${fileName}` }));
      const head = [
        ...fonts.map((name) => link({ rel: 'preload', as: 'font', type: 'font/woff2', href: `./${name}` })),
        ...ofChat('modulepreload', 'chunk'),
      ];
      const sheets = html.match(STYLE_SHEET) ?? [];
      return {
        html: html.replace(STYLE_SHEET, '').replace('</body>', () => `${sheets.join('')}\n  </body>`),
        tags: [
          ...head.map((tag) => ({ ...tag, injectTo: 'head' as const })),
          ...ofChat('stylesheet', 'asset').map((tag) => ({ ...tag, injectTo: 'body' as const })),
        ],
      };
    },
  },
};

/** Lists all files, for `fetchOtherPages`. */
const fileList: Plugin = {
  name: 'file-list',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const names = Object.keys(bundle).filter((name) => /\.(?:js|css|woff2)$/.test(name) && !RARE.test(name));
      const files = [...names.filter((name) => URGENT.test(name)), ...names.filter((name) => !URGENT.test(name))];
      this.emitFile({ type: 'asset', fileName: 'files.json', source: JSON.stringify(files) });
    },
  },
};

const STYLE_SHEET = /\s*<link rel="stylesheet"[^>]*>/g;

export default defineConfig({
  // Relative to the page's <base>, so that a proxy may serve the platform under any path.
  base: './',
  plugins: [messages(), react(), mantineStyles, firstPage, fileList],
  server: { proxy: { '/api': { target: api, ws: true }, '/docs': api, '/openapi.json': api } },
  build: {
    target: 'es2023',
    // The content security policy forbids data URLs for scripts and styles.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // Bundles each entry with its imports: two files load faster than forty small ones.
        codeSplitting: {
          groups: [
            { name: 'base', test: /src\/main\.tsx$/, priority: 2 },
            { name: CHAT, test: /chat-page\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
});
