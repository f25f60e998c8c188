/** A rejected client event, with an error code of the protocol. */
export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

type RefusalCode =
  | 'conversation_already_has_active_response'
  | 'input_audio_buffer_commit_empty'
  | 'input_audio_buffer_full'
  | 'invalid_value'
  | 'item_not_found'
  | 'not_supported'
  | 'nothing_to_answer'
  | 'response_cancel_not_active'
  | 'too_many_items';
