import { serveEngine } from './embedded/engine/serve-engine.ts';
import { loadKokoro } from './embedded/speech/kokoro.ts';
import { voiceLanguage } from './embedded/speech/kokoro-voices.ts';
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
  const speak = async (phrase: string, voice: string, speed: number) => {
    const samples = await kokoro.speak(toPhonemes(phrase, voiceLanguage(voice)), voice, speed);
    return shapePhrase(samples, phrase);
  };
  return async function* ({ text, voice, speed }, stopped) {
    for (const phrase of phrasesOf(spokenText(text))) {
      if (stopped()) return;
      const pcm16 = await memory.recall(phrase, `${voice} ${speed}`, () => speak(phrase, voice, speed));
      if (pcm16.length > 0) yield { pcm16 };
    }
  };
});
