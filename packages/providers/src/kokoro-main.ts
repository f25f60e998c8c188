import { serveEngine } from './embedded/engine/serve-engine.ts';
import { loadKokoro } from './embedded/speech/kokoro.ts';
import { USUAL_VOICE, voiceLanguage } from './embedded/speech/kokoro-voices.ts';
import { loadPhonemes } from './embedded/speech/phonemes.ts';
import { PhraseMemory } from './embedded/speech/phrase-memory.ts';
import { phrasesOf } from './embedded/speech/phrases.ts';
import { shapePhrase } from './embedded/speech/shape-phrase.ts';
import type { SpokenPhrase, TextToSpeak } from './embedded/speech/speech-requests.ts';
import { spokenText } from './embedded/speech/spoken-text.ts';

// The process that holds Kokoro.

await serveEngine<TextToSpeak, SpokenPhrase>(async () => {
  const toPhonemes = loadPhonemes();
  const kokoro = await loadKokoro();
  const memory = new PhraseMemory();
  const speak = (phrase: string, voice: string, speed: number) =>
    shapePhrase(kokoro.speak(toPhonemes(phrase, voiceLanguage(voice)), voice, speed), phrase);
  const met = new Set<string>();
  // Then it is known how fast it is here, and what the voice is like: without that its first phrase is made whole before it is heard.
  const meet = async (voice: string) => {
    if (met.has(voice)) return;
    met.add(voice);
    for await (const _ of speak('Good morning, what can I do for you?', voice, 1));
  };
  await meet(USUAL_VOICE);
  return async function* ({ text, voice, speed }, stopped) {
    if (text === '') await meet(voice);
    for (const phrase of phrasesOf(spokenText(text))) {
      for await (const pcm16 of memory.recall(phrase, `${voice} ${speed}`, () => speak(phrase, voice, speed))) {
        if (stopped()) return;
        yield { pcm16 };
      }
      if (stopped()) return;
    }
  };
});
