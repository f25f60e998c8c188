import { serveEngine } from '../engine/serve-engine.ts';
import type { EncodedTexts, TextsToEncode } from './sentence-encoder.ts';
import { loadUseLite } from './use-lite.ts';

// The process that runs the sentence encoder.

await serveEngine<TextsToEncode, EncodedTexts>(async () => {
  const encoder = await loadUseLite();
  return async function* ({ texts }) {
    yield await encoder.encode(texts);
  };
});
