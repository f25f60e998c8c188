/** The server events that the console uses. Audio deltas are base64 of pcm16 at 24 kHz. */
export type RealtimeEvent =
  | { type: 'session.created' | 'session.updated'; session: { session_id: string | null; model: string } }
  | { type: 'input_audio_buffer.speech_started'; item_id: string }
  | { type: 'input_audio_buffer.speech_stopped'; item_id: string }
  | { type: 'conversation.item.input_audio_transcription.delta'; item_id: string; delta: string }
  | { type: 'conversation.item.input_audio_transcription.completed'; item_id: string; transcript: string }
  | { type: 'conversation.item.input_audio_transcription.failed'; item_id: string; error: { message: string } }
  | { type: 'conversation.item.truncated'; item_id: string }
  | { type: 'conversation.item.added' | 'conversation.item.retrieved'; item: RealtimeItem }
  | { type: 'response.created'; response: { session_id: string | null } }
  | { type: 'response.content_part.added'; item_id: string; part: { transcript?: string } }
  | { type: 'response.output_audio.delta'; item_id: string; delta: string }
  | { type: 'response.output_audio_transcript.delta'; item_id: string; delta: string }
  | { type: 'response.output_audio_transcript.done'; item_id: string; transcript: string }
  | {
      type: 'response.done';
      response: {
        status: 'completed' | 'cancelled' | 'failed' | 'incomplete';
        status_details: { error?: { code: string; message: string } } | null;
        session_id: string | null;
      };
    }
  | { type: 'response.requires_action'; required_action: { tool_calls: { name: string }[] } }
  | { type: 'output_audio_buffer.cleared' }
  | { type: 'error'; error: { code: string; message: string } };

interface RealtimeItem {
  id: string;
  status: 'completed' | 'incomplete' | 'in_progress';
  content: { transcript?: string | null; text?: string }[];
}

export type RealtimeCommand =
  | {
      type: 'session.update';
      session: { type: 'realtime'; audio: { input: { transcription: { model: string | null } } } };
    }
  | { type: 'input_audio_buffer.append'; audio: string }
  | {
      type: 'conversation.item.create';
      item: { type: 'message'; role: 'user'; content: { type: 'input_text'; text: string }[] };
    }
  | { type: 'conversation.item.retrieve'; item_id: string }
  | { type: 'conversation.item.truncate'; item_id: string; content_index: 0; audio_end_ms: number }
  | { type: 'response.create' }
  | { type: 'response.cancel' };
