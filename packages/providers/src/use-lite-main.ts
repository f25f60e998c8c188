import type { FromEncoder, ToEncoder } from './embedded/use-lite/encoder-protocol.ts';
import { loadUseLite } from './embedded/use-lite/use-lite.ts';

// The process that holds the sentence encoder: asked by messages of its parent, one after the other, and gone with it.

const say = (message: FromEncoder) => process.send?.(message);
process.on('disconnect', () => process.exit(0));

const encoder = await loadUseLite();
let turn = Promise.resolve();
process.on('message', ({ id, texts }: ToEncoder) => {
  // What it throws ends the process, and the parent sees that.
  turn = turn.then(async () => void say({ type: 'encoded', id, ...(await encoder.encode(texts)) }));
});
say({ type: 'ready' });
