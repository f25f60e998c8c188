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

const MESSAGES = /\/i18n\/messages\/(\w+)\/(\w+)\.json$/;

/** Compiles messages, so that browsers do not load a parser. */
const messages: Plugin = {
  name: 'messages',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (!MESSAGES.test(id)) return null;
    const compiled = Object.entries<string>(JSON.parse(code)).map(([name, text]) => [name, tokensOf(text)]);
    return { code: `export default ${JSON.stringify(Object.fromEntries(compiled))}`, moduleType: 'js', map: null };
  },
};

/** The library treats only a list as compiled. */
function tokensOf(text: string) {
  const compiled = compileMessage(text);
  return typeof compiled === 'string' ? [compiled] : compiled;
}

const CHAT = 'chat';

/** The messages of the first page, in the language that `first-paint.js` chooses. */
const FIRST_MESSAGES = /messages-(\w+)-(?:common|chat)-/;

/** Fonts of other alphabets, and the 3 MB that draw diagrams, load only when a page needs them. */
const RARE = /inter-(?!latin-wght)|mermaid/;

/** The letters of most pages. */
const FONT = /inter-latin-wght-normal.*\.woff2$/;

const link = (attrs: Record<string, string>): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { crossorigin: true, ...attrs },
});

/**
 * Preloads the font and the files of the first page, which would otherwise load only after the shell has run. Lists
 * all files, for `fetchOtherPages`. Style sheets come last, so that they do not delay the page's outline.
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
      const files = names.filter((name) => /\.(?:js|css|woff2)$/.test(name) && !RARE.test(name));
      const head = [
        ...fonts.map((name) => link({ rel: 'preload', as: 'font', type: 'font/woff2', href: `./${name}` })),
        ...ofChat('modulepreload', 'chunk'),
        { tag: 'meta', attrs: { name: 'files', content: files.join(' ') } },
      ];
      const firstMessages = names.filter((name) => FIRST_MESSAGES.test(name)).join(' ');
      const sheets = html.match(STYLE_SHEET) ?? [];
      return {
        html: html.replace(STYLE_SHEET, '').replace('</body>', () => `${sheets.join('')}\n  </body>`),
        tags: [
          // Before first-paint.js, which reads it.
          { tag: 'meta', attrs: { name: 'messages', content: firstMessages }, injectTo: 'head-prepend' },
          ...head.map((tag) => ({ ...tag, injectTo: 'head' as const })),
          ...ofChat('stylesheet', 'asset').map((tag) => ({ ...tag, injectTo: 'body' as const })),
        ],
      };
    },
  },
};

const STYLE_SHEET = /\s*<link rel="stylesheet"[^>]*>/g;

export default defineConfig({
  // Relative to the page's <base>, so that a proxy may serve the platform under any path.
  base: './',
  plugins: [messages, react(), mantineStyles, firstPage],
  server: { proxy: { '/api': { target: api, ws: true }, '/docs': api, '/queues': api, '/openapi.json': api } },
  build: {
    target: 'es2023',
    // The content security policy forbids data URLs for scripts and styles.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name, facadeModuleId }) => {
          const [, language, area] = MESSAGES.exec(facadeModuleId ?? '') ?? [];
          return `assets/${area === undefined ? name : `messages-${language}-${area}`}-[hash].js`;
        },
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
