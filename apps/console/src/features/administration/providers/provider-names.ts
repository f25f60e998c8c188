import type { Provider } from '@chorus/client';

/** Of the query of all providers. */
export const PROVIDERS_KEY = ['administration', 'providers'];

/** Names and uses of the providers. */
export const PROVIDER_NAMES: Readonly<Record<Provider['name'], { label: string; use: string }>> = {
  openai: { label: 'OpenAI', use: 'Chat, images, speech, embeddings' },
  anthropic: { label: 'Anthropic', use: 'Chat' },
  google: { label: 'Google', use: 'Chat, images, videos, speech, embeddings' },
  mistral: { label: 'Mistral', use: 'Chat, embeddings' },
  groq: { label: 'Groq', use: 'Chat, transcription' },
  elevenlabs: { label: 'ElevenLabs', use: 'Speech, transcription' },
  deepgram: { label: 'Deepgram', use: 'Speech, transcription' },
  fal: { label: 'fal', use: 'Images, videos' },
  compatible: { label: 'OpenAI-compatible server', use: 'Ollama, vLLM, llama.cpp, LM Studio, and others' },
};
