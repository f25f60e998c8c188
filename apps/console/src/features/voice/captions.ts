import type { RealtimeEvent } from './realtime-events.ts';

export interface Caption {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  isDone: boolean;
  /** Whether the answer was interrupted and its rest never heard. */
  isCutOff: boolean;
}

export function applyEvent(captions: readonly Caption[], event: RealtimeEvent): readonly Caption[] {
  switch (event.type) {
    case 'session.created':
      // Speech that was cut off by a lost connection was not heard completely.
      return captions.filter(({ role, isDone }) => role === 'assistant' || isDone);
    case 'conversation.item.added':
      // After a reconnect, items already known here arrive in their final state.
      if (event.item.status === 'in_progress' || !captions.some(({ id }) => id === event.item.id)) return captions;
      return finish(captions, event.item);
    case 'conversation.item.retrieved':
      // After an interruption, the server keeps only what was heard.
      return captions.some(({ id, isCutOff }) => id === event.item.id && isCutOff)
        ? finish(captions, event.item)
        : captions;
    case 'response.content_part.added':
      return upsert(captions, event.item_id, 'assistant', (caption) => ({
        ...caption,
        text: event.part.transcript ?? '',
      }));
    case 'input_audio_buffer.speech_started':
      return upsert(captions, event.item_id, 'user', (caption) => caption);
    case 'conversation.item.input_audio_transcription.delta':
      return upsert(captions, event.item_id, 'user', (caption) => ({ ...caption, text: caption.text + event.delta }));
    case 'conversation.item.input_audio_transcription.completed':
      // Noise such as a cough is not speech.
      if (event.transcript.trim() === '') return captions.filter(({ id }) => id !== event.item_id);
      return upsert(captions, event.item_id, 'user', (caption) => ({
        ...caption,
        text: event.transcript,
        isDone: true,
      }));
    case 'conversation.item.input_audio_transcription.failed':
      return captions.filter(({ id }) => id !== event.item_id);
    case 'response.output_audio_transcript.delta':
      return upsert(captions, event.item_id, 'assistant', (caption) => ({
        ...caption,
        text: caption.text + event.delta,
      }));
    case 'response.output_audio_transcript.done':
      if (event.transcript.trim() === '') return captions.filter(({ id }) => id !== event.item_id);
      return upsert(captions, event.item_id, 'assistant', (caption) => ({
        ...caption,
        text: event.transcript,
        isDone: true,
      }));
    case 'conversation.item.truncated':
      return captions
        .filter(({ id, text }) => id !== event.item_id || text !== '')
        .map((caption) => (caption.id === event.item_id ? { ...caption, isDone: true, isCutOff: true } : caption));
    case 'response.done':
      return endAnswer(captions);
    default:
      return captions;
  }
}

/** Drops captions that never got a text, except those of speech after the last answer. */
function endAnswer(captions: readonly Caption[]): readonly Caption[] {
  const lastAnswer = captions.findLastIndex(({ role }) => role === 'assistant');
  return captions
    .filter(({ role, text }, index) => text !== '' || (role === 'user' && index > lastAnswer))
    .map((caption) => (caption.role === 'assistant' ? { ...caption, isDone: true } : caption));
}

/** Returns the captions of a call that has ended: those with a text. */
export function endCall(captions: readonly Caption[]): readonly Caption[] {
  return captions.filter(({ text }) => text !== '').map((caption) => ({ ...caption, isDone: true }));
}

function finish(
  captions: readonly Caption[],
  { id, content }: Extract<RealtimeEvent, { type: 'conversation.item.added' | 'conversation.item.retrieved' }>['item'],
): readonly Caption[] {
  const text = content.map((part) => part.transcript ?? part.text ?? '').join('');
  return captions.map((caption) => (caption.id === id ? { ...caption, text, isDone: true } : caption));
}

function upsert(
  captions: readonly Caption[],
  id: string,
  role: Caption['role'],
  edit: (caption: Caption) => Caption,
): readonly Caption[] {
  if (!captions.some((caption) => caption.id === id))
    return [...captions, edit({ id, role, text: '', isDone: false, isCutOff: false })];
  return captions.map((caption) => (caption.id === id ? edit(caption) : caption));
}
