import { basePath } from '../../../page-config.ts';

/** Sent by the frame once it is ready for HTML. */
const READY = 'sandbox.ready';

/**
 * Shows HTML in a frame whose scripts have an opaque origin and no network: see `sandbox.html`.
 *
 * @param port given to the scripts as the global `port`
 * @returns a function that stops waiting for the frame
 */
export function fillSandbox(frame: HTMLIFrameElement, html: string, port?: MessagePort): () => void {
  const onMessage = ({ source, data }: MessageEvent) => {
    const target = frame.contentWindow;
    if (target === null || source !== target || data !== READY) return;
    removeEventListener('message', onMessage);
    // The frame's origin is opaque, so it cannot be named.
    target.postMessage(html, '*', port === undefined ? [] : [port]);
  };
  addEventListener('message', onMessage);
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.referrerPolicy = 'no-referrer';
  frame.src = `${basePath}/sandbox.html`;
  return () => removeEventListener('message', onMessage);
}
