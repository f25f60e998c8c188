import { serveEngine } from '../engine/serve-engine.ts';
import { useFetchedWeights } from '../weights/package-file.ts';
import type { SpokenPhrase, TextToSpeak } from './embedded-speech.ts';
import { loadKokoro } from './kokoro.ts';
import { loadPhonemes } from './phonemes.ts';
import { PhraseMemory } from './phrase-memory.ts';
import { phrasesOf } from './phrases.ts';
import { shapePhrase } from './shape-phrase.ts';
import { spokenText } from './spoken/spoken-text.ts';
import { voiceLanguage } from './voices.ts';

// The process that runs Kokoro. The argument is the folder of fetched weights.

useFetchedWeights(process.argv[2] ?? null);

await serveEngine<TextToSpeak, SpokenPhrase>(async () => {
  const toPhonemes = loadPhonemes();
  const kokoro = await loadKokoro();
  const memory = new PhraseMemory();
  const speak = (phrase: string, voice: string, speed: number) =>
    shapePhrase(kokoro.speak(toPhonemes(phrase, voiceLanguage(voice)), voice, speed), phrase);
  const met = new Set<string>();
  // Measures the voice, and first this machine's speed. Otherwise the first phrase would only play once complete.
  const meet = async (voice: string) => {
    if (met.has(voice)) return;
    met.add(voice);
    for await (const _ of speak('Good morning, what can I do for you?', voice, 1));
  };
  return async function* ({ text, voice, speed }, stopped) {
    if (text === '' || met.size === 0) await meet(voice);
    for (const phrase of phrasesOf(spokenText(text))) {
      for await (const pcm16 of memory.recall(phrase, `${voice} ${speed}`, () => speak(phrase, voice, speed))) {
        if (stopped()) return;
        yield { pcm16 };
      }
      if (stopped()) return;
    }
  };
});
