import type { ConversationItem, ConversationMessage } from './input-items.ts';

type Part = Exclude<
  Extract<ConversationItem, { type: 'function_call_output' }>['output'] | UserContent,
  string
>[number];
type UserContent = Extract<ConversationMessage, { role: 'user' }>['content'];

/** An item of a response's input. */
export interface PresentedInput {
  type: string;
  id: string;
  [field: string]: unknown;
}

/** Returns an input item with an id in the form of OpenAI's Responses API. */
export function presentInputItem(item: ConversationItem & { id: string }): PresentedInput {
  const { id } = item;
  const status = ('status' in item ? item.status : null) ?? 'completed';
  switch (item.type) {
    case 'function_call': {
      const { type, call_id, name, namespace, arguments: text } = item;
      return { type, id, status, call_id, name, ...(namespace && { namespace }), arguments: text };
    }
    case 'custom_tool_call':
    case 'tool_search_call': {
      const { signature: _, ...shown } = item;
      return { ...shown, status };
    }
    case 'custom_tool_call_output':
    case 'function_call_output': {
      const { type, call_id, output } = item;
      return { type, id, status, call_id, output: typeof output === 'string' ? output : output.map(presentPart) };
    }
    case 'reasoning': {
      const { type, summary, content, encrypted_content } = item;
      return { type, id, summary, ...(content && { content }), ...(encrypted_content && { encrypted_content }) };
    }
    case 'mcp_call':
    case 'mcp_approval_request': {
      const { signature: _, ...shown } = item;
      return { ...shown, ...(item.type === 'mcp_call' && { status }) };
    }
    case 'tool_search_output':
    case 'additional_tools':
    case 'mcp_list_tools':
    case 'mcp_approval_response':
      return item;
    default:
      return { type: 'message', id, status, role: item.role, content: presentContent(item) };
  }
}

function presentContent(message: ConversationMessage): unknown[] {
  if (message.role === 'assistant') {
    const parts = typeof message.content === 'string' ? [outputText(message.content)] : message.content;
    return parts.map((part) => (part.type === 'refusal' ? part : outputText(part.text)));
  }
  const { content } = message;
  return typeof content === 'string' ? [{ type: 'input_text', text: content }] : content.map(presentPart);
}

const outputText = (text: string) => ({ type: 'output_text' as const, text, annotations: [], logprobs: [] });

function presentPart(part: Part): Record<string, unknown> {
  switch (part.type) {
    case 'input_image': {
      const { type, image_url, file_id, detail } = part;
      return { type, image_url: image_url ?? null, detail: detail ?? 'auto', ...(file_id && { file_id }) };
    }
    case 'input_file': {
      const { type, file_data, file_id, filename } = part;
      return {
        type,
        ...(file_id && { file_id }),
        ...(filename && { filename }),
        ...(file_data && { file_data }),
      };
    }
    default:
      return part;
  }
}
