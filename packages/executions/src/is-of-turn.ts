/** Whether a job's input is a turn of this message, in any of the places where kinds keep their turn. */
export function isOfTurn(input: Record<string, unknown>, messageId: string): boolean {
  return [input.source, input.turn, input.chat].some((turn) => {
    const { user_message_id, assistant_message_id } = (turn ?? {}) as Record<string, unknown>;
    return user_message_id === messageId || assistant_message_id === messageId;
  });
}
