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

const CHAT = 'chat';

/**
 * Preloads the files of the first page, which would otherwise load only after the shell has run. Lists all files,
 * for `fetchOtherPages`.
 */
const firstPage: Plugin = {
  name: 'first-page',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) => {
      const preloads = Object.values(bundle).flatMap((part): HtmlTagDescriptor[] => {
        const names = part.type === 'chunk' ? [part.name] : part.names;
        if (!names.some((name) => name === CHAT || name === `${CHAT}.css`)) return [];
        const rel = part.type === 'chunk' ? 'modulepreload' : 'stylesheet';
        return [{ tag: 'link', attrs: { rel, crossorigin: true, href: `./${part.fileName}` }, injectTo: 'head' }];
      });
      const files = Object.keys(bundle).filter((name) => /\.(?:js|css|woff2)$/.test(name));
      return [...preloads, { tag: 'meta', attrs: { name: 'files', content: files.join(' ') }, injectTo: 'head' }];
    },
  },
};

export default defineConfig({
  // Relative to the page's <base>, so that a proxy may serve the platform under any path.
  base: './',
  plugins: [react(), mantineStyles, firstPage],
  server: { proxy: { '/api': { target: api, ws: true }, '/docs': api, '/queues': api, '/openapi.json': api } },
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
