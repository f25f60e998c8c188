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
  // Then it is known how fast it is here, and what its voice is like.
  for await (const _ of speak('Good morning, what can I do for you?', USUAL_VOICE, 1));
  return async function* ({ text, voice, speed }, stopped) {
    for (const phrase of phrasesOf(spokenText(text))) {
      for await (const pcm16 of memory.recall(phrase, `${voice} ${speed}`, () => speak(phrase, voice, speed))) {
        if (stopped()) return;
        yield { pcm16 };
      }
      if (stopped()) return;
    }
  };
});
