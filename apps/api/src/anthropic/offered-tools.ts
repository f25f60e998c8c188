import type { FunctionTool } from '@chorus/contract';
import type { AnthropicTool, CountedBody } from './message-body.ts';

type ToolFields = Pick<CountedBody, 'tools' | 'tool_choice' | 'messages'>;

/** Returns the tools that the model sees. Those with `defer_loading` are hidden until a message names them. */
export function offeredTools({ tools, tool_choice: choice, messages }: ToolFields): AnthropicTool[] {
  const all = [...(tools ?? [])];
  const hidden = new Set(all.flatMap(({ name, defer_loading }) => (defer_loading ? [name] : [])));
  if (choice?.type === 'tool') hidden.delete(choice.name);
  for (const change of messages.flatMap(changesIn)) {
    const { name } = change;
    if (change.definition && !all.some((tool) => tool.name === name)) all.push(change.definition);
    if (change.isOffered) hidden.delete(name);
    else hidden.add(name);
  }
  return all.filter(({ name }) => !hidden.has(name));
}

interface ToolChange {
  name: string;
  isOffered: boolean;
  definition?: AnthropicTool;
}

function changesIn({ role, content }: CountedBody['messages'][number]): ToolChange[] {
  if (role === 'assistant' || content == null || typeof content === 'string') return [];
  return content.flatMap((block): ToolChange[] => {
    switch (block.type) {
      case 'tool_result':
        return typeof block.content === 'string' ? [] : (block.content ?? []).flatMap(referenceIn);
      case 'tool_addition': {
        if (block.tool.type === 'tool_reference') return [{ name: block.tool.name, isOffered: true }];
        const { definition } = block.tool;
        return [{ name: definition.name, isOffered: true, definition }];
      }
      case 'tool_removal':
        return [{ name: block.tool.name, isOffered: false }];
      default:
        return [];
    }
  });
}

function referenceIn(block: { type: string; tool_name?: string }): ToolChange[] {
  return block.tool_name === undefined ? [] : [{ name: block.tool_name, isOffered: true }];
}

/** Returns the functions that the model may call. */
export function toFunctions(body: ToolFields): FunctionTool[] | undefined {
  const offered = offeredTools(body);
  if (body.tools == null && offered.length === 0) return undefined;
  return offered.map(({ name, description, input_schema: parameters, strict }) => ({
    type: 'function',
    function: { name, description, parameters, strict },
  }));
}
