import mermaidUrl from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';
import { t } from '../../../i18n/i18n.ts';
import { fillSandbox } from './sandbox.ts';

type Theme = 'default' | 'dark';

type Reply = { id: number; svg: string } | { id: number; error: string };

/** Includes the load of the library. */
const TIMEOUT_MS = 20_000;

interface Renderer {
  port: MessagePort;
  frame: HTMLIFrameElement;
}

let renderer: Promise<Renderer> | null = null;
let lastId = 0;

/**
 * Draws a Mermaid diagram and returns its SVG. All diagrams are drawn in one hidden sandbox, so the library cannot
 * reach the console, no matter what a diagram makes it do.
 */
export async function renderMermaid(code: string, theme: Theme): Promise<string> {
  renderer ??= startRenderer();
  const started = renderer;
  try {
    const { port } = await started;
    return await draw(port, code, theme);
  } catch (error) {
    // A diagram that takes too long blocks the frame; the next one gets another.
    if (!(error instanceof DiagramError)) {
      if (renderer === started) renderer = null;
      void started.then(({ frame }) => frame.remove()).catch(() => undefined);
    }
    throw error;
  }
}

/** A mistake in the diagram. */
class DiagramError extends Error {}

async function draw(port: MessagePort, code: string, theme: Theme): Promise<string> {
  const id = ++lastId;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const onMessage = ({ data }: MessageEvent<Reply>) => {
    if (data.id !== id) return;
    if ('svg' in data) resolve(data.svg);
    else reject(new DiagramError(data.error));
  };
  const timer = setTimeout(() => reject(new Error(t('components.diagramTimeout'))), TIMEOUT_MS);
  port.addEventListener('message', onMessage);
  port.postMessage({ id, code, theme });
  return promise.finally(() => {
    clearTimeout(timer);
    port.removeEventListener('message', onMessage);
  });
}

async function startRenderer(): Promise<Renderer> {
  const response = await fetch(mermaidUrl);
  if (!response.ok) throw new Error(t('components.diagramLibraryMissing'));
  const library = await response.text();
  const { port1, port2 } = new MessageChannel();
  const frame = document.createElement('iframe');
  frame.title = t('components.diagramRenderer');
  frame.ariaHidden = 'true';
  frame.tabIndex = -1;
  // Text is measured, so the frame needs a layout.
  Object.assign(frame.style, { position: 'fixed', width: '1200px', height: '800px', left: '-2000px', border: '0' });
  const scripts = [library, DRIVER].map((script) => `<script>${script.replace(/<\/script/gi, '<\\/script')}</script>`);
  fillSandbox(frame, `<!doctype html><body>${scripts.join('')}`, port2);
  document.body.append(frame);
  port1.start();
  return { port: port1, frame };
}

/** Runs in the frame. Parsing as HTML and serializing as XML makes an image of it. */
const DRIVER = `
  port.onmessage = async ({ data: { id, code, theme } }) => {
    try {
      mermaid.initialize({
        startOnLoad: false, securityLevel: 'strict', suppressErrorRendering: true, theme,
        htmlLabels: false, flowchart: { htmlLabels: false }, fontFamily: 'ui-sans-serif, system-ui, sans-serif',
      });
      const { svg } = await mermaid.render('diagram', code);
      const element = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
      port.postMessage({ id, svg: new XMLSerializer().serializeToString(element) });
    } catch (error) {
      port.postMessage({ id, error: String(error?.message ?? error).slice(0, 500) });
    }
  };
`;
