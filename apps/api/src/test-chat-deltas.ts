export interface ChatDelta {
  role?: string;
  reasoning_content?: string;
  content?: string | null;
  tool_calls?: { index: number; function?: { arguments?: string } }[];
}

/** Joins neighboring pieces of one text, or of one call's arguments: how many arrive at once depends on the load. */
export function joinedDeltas(deltas: ChatDelta[]): ChatDelta[] {
  const whole: ChatDelta[] = [];
  for (const delta of deltas) {
    const last = whole.at(-1);
    const [call, before] = [delta.tool_calls?.[0], last?.tool_calls?.[0]];
    if (last?.reasoning_content && delta.reasoning_content) last.reasoning_content += delta.reasoning_content;
    else if (last?.content && delta.content) last.content += delta.content;
    else if (before?.function && call?.function && before.index === call.index)
      before.function.arguments = `${before.function.arguments}${call.function.arguments}`;
    else whole.push(delta);
  }
  return whole;
}
