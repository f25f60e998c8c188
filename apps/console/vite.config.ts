import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** `npx vite apps/console` serves it while it is worked on, against the API of CHORUS_URL. */
const api = process.env.CHORUS_URL ?? 'http://127.0.0.1:8080';

/**
 * Brings the styles of each of the library's components with the component: those of parts that are fetched later come later, and those of components that
 * nobody uses never do. Its one sheet with all of them is three times as large.
 */
const mantineStyles: Plugin = {
  name: 'mantine-styles',
  transform(code, id) {
    const name = /@mantine\/core\/esm\/(?:components|utils)\/.*\/(\w+)\.module\.mjs$/.exec(id)?.[1];
    return name === undefined ? null : { code: `import '@mantine/core/styles/${name}.layer.css';\n${code}`, map: null };
  },
};

const CHAT = 'chat';

/** Names the files of the first page in the document, so that they are fetched beside those of the frame, not after these have run. */
const firstPage: Plugin = {
  name: 'first-page',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) =>
      Object.values(bundle).flatMap((part) => {
        const names = part.type === 'chunk' ? [part.name] : part.names;
        if (!names.some((name) => name === CHAT || name === `${CHAT}.css`)) return [];
        const rel = part.type === 'chunk' ? 'modulepreload' : 'stylesheet';
        return [{ tag: 'link', attrs: { rel, crossorigin: true, href: `./${part.fileName}` }, injectTo: 'head' }];
      }),
  },
};

export default defineConfig({
  // Addresses are relative to the page's <base>, so that a proxy may serve the platform under any path.
  base: './',
  plugins: [react(), mantineStyles, firstPage],
  server: { proxy: { '/api': { target: api, ws: true }, '/docs': api, '/queues': api, '/openapi.json': api } },
  build: {
    target: 'es2023',
    // The policy of the page forbids data addresses of scripts and styles; small images stay files as well.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // With each, all that it imports: forty small files take longer to fetch, and are larger, than these two.
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
