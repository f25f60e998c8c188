import type { RealtimeEvent } from './realtime-events.ts';

/** Something that was said, as it is read. */
export interface Caption {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  isDone: boolean;
  /** Whether somebody spoke meanwhile: the rest was never heard. */
  isCutOff: boolean;
}

/** What can be read after one more event. */
export function withEvent(captions: readonly Caption[], event: RealtimeEvent): readonly Caption[] {
  switch (event.type) {
    case 'session.created':
      // What was being said when a connection was lost was not heard to its end.
      return captions.filter(({ role, isDone }) => role === 'assistant' || isDone);
    case 'conversation.item.added':
      // Of what is known here, a connection that was made again tells how it ended.
      if (event.item.status === 'in_progress' || !captions.some(({ id }) => id === event.item.id)) return captions;
      return saying(captions, event.item);
    case 'conversation.item.retrieved':
      // Once it was cut, the conversation holds what was heard.
      return captions.some(({ id, isCutOff }) => id === event.item.id && isCutOff)
        ? saying(captions, event.item)
        : captions;
    case 'response.content_part.added':
      return change(captions, event.item_id, 'assistant', (caption) => ({
        ...caption,
        text: event.part.transcript ?? '',
      }));
    case 'input_audio_buffer.speech_started':
      return change(captions, event.item_id, 'user', (caption) => caption);
    case 'conversation.item.input_audio_transcription.delta':
      return change(captions, event.item_id, 'user', (caption) => ({ ...caption, text: caption.text + event.delta }));
    case 'conversation.item.input_audio_transcription.completed':
      // A cough or a door is no speech.
      if (event.transcript.trim() === '') return captions.filter(({ id }) => id !== event.item_id);
      return change(captions, event.item_id, 'user', (caption) => ({
        ...caption,
        text: event.transcript,
        isDone: true,
      }));
    case 'conversation.item.input_audio_transcription.failed':
      return captions.filter(({ id }) => id !== event.item_id);
    case 'response.output_audio_transcript.delta':
      return change(captions, event.item_id, 'assistant', (caption) => ({
        ...caption,
        text: caption.text + event.delta,
      }));
    case 'response.output_audio_transcript.done':
      return change(captions, event.item_id, 'assistant', (caption) => ({
        ...caption,
        text: event.transcript,
        isDone: true,
      }));
    case 'conversation.item.truncated':
      return captions.map((caption) =>
        caption.id === event.item_id ? { ...caption, isDone: true, isCutOff: true } : caption,
      );
    default:
      return captions;
  }
}

function saying(
  captions: readonly Caption[],
  { id, content }: Extract<RealtimeEvent, { type: 'conversation.item.added' | 'conversation.item.retrieved' }>['item'],
): readonly Caption[] {
  const text = content.map((part) => part.transcript ?? part.text ?? '').join('');
  return captions.map((caption) => (caption.id === id ? { ...caption, text, isDone: true } : caption));
}

function change(
  captions: readonly Caption[],
  id: string,
  role: Caption['role'],
  edit: (caption: Caption) => Caption,
): readonly Caption[] {
  if (!captions.some((caption) => caption.id === id))
    return [...captions, edit({ id, role, text: '', isDone: false, isCutOff: false })];
  return captions.map((caption) => (caption.id === id ? edit(caption) : caption));
}
