/** Limits of tools that are offered to a model, since each of its requests contains them. */
interface ToolRoom {
  tools: number;
  chars: number;
}

/** Of one server or API, and of a whole turn. */
export const MAX_SERVER_ROOM: ToolRoom = { tools: 300, chars: 200_000 };
export const MAX_TURN_ROOM: ToolRoom = { tools: 500, chars: 400_000 };

interface Described {
  name: string;
  description: string;
  parameters: unknown;
  body?: unknown;
}

/** Returns how many tools fit, from the first one on. */
export function countWithin(tools: readonly Described[], room: ToolRoom): number {
  let { chars } = room;
  let count = 0;
  for (const tool of tools.slice(0, room.tools)) {
    chars -= charsOf(tool);
    if (chars < 0) break;
    count += 1;
  }
  return count;
}

/** Returns the room that tools leave. */
export function without({ tools: most, chars }: ToolRoom, tools: readonly Described[]): ToolRoom {
  return { tools: most - tools.length, chars: tools.reduce((left, tool) => left - charsOf(tool), chars) };
}

function charsOf({ name, description, parameters, body }: Described): number {
  return name.length + description.length + JSON.stringify([parameters, body]).length;
}
