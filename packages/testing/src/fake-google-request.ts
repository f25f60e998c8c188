import type { FakeBehavior } from './fake-behavior.ts';
import { invalid } from './fake-chat-checks.ts';
import { ConversationReader } from './fake-conversation.ts';
import type { FakeConversation } from './fake-turn.ts';

type Fields = Record<string, unknown>;
type Problem = FakeBehavior['error'];

interface Part {
  text?: string;
  thoughtSignature?: string;
  functionCall?: { name: string; args?: unknown };
  functionResponse?: { name: string; response?: { content?: unknown } };
}

interface Content {
  role: string;
  parts: Part[];
}

interface Declaration {
  name: string;
  parameters?: Fields;
  parametersJsonSchema?: Fields;
}

export const signatureOf = (name: string): string => Buffer.from(`thought about ${name}`).toString('base64');
/** Documented for calls that another model made. */
const SKIPS_CHECK = 'skip_thought_signature_validator';

const declarations = ({ tools = [] }: { tools?: { functionDeclarations?: Declaration[] }[] }): Declaration[] =>
  tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);

export function readGoogle(body: Fields): FakeConversation {
  const { functionCallingConfig: calling } = (body.toolConfig ?? {}) as {
    functionCallingConfig?: { mode?: string; allowedFunctionNames?: string[] };
  };
  const config = (body.generationConfig ?? {}) as {
    responseMimeType?: string;
    responseJsonSchema?: unknown;
    thinkingConfig?: { includeThoughts?: boolean };
  };
  const [only, ...others] = calling?.allowedFunctionNames ?? [];
  const reader = new ConversationReader({
    tools: declarations(body).map(({ name, parameters, parametersJsonSchema }) => ({
      name,
      schema: parameters ?? parametersJsonSchema,
    })),
    choice:
      calling?.mode === 'NONE'
        ? 'none'
        : calling?.mode !== 'ANY'
          ? 'auto'
          : only !== undefined && others.length === 0
            ? { name: only }
            : 'required',
    parallel: true,
    schema: config.responseMimeType === 'application/json' ? (config.responseJsonSchema ?? {}) : undefined,
    reasons: config.thinkingConfig?.includeThoughts === true,
  });
  const { parts: system = [] } = (body.systemInstruction ?? {}) as { parts?: Part[] };
  for (const { text } of system) reader.text(text ?? '');
  for (const { role, parts } of body.contents as Content[]) {
    const text = parts.map((part) => part.text ?? '').join('');
    const results = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    if (role === 'model') {
      reader.text(text);
      if (parts.some(({ functionCall }) => functionCall)) reader.calls();
    } else if (results.length === 0) reader.user(text);
    else for (const { response } of results) reader.result(String(response?.content ?? ''));
  }
  return reader.end();
}

/** Finds the first mistake in a request, in Google's wording. */
export function checkGoogle(body: Fields, model: string): Problem | null {
  const contents = (body.contents ?? []) as Content[];
  if (contents.length === 0) return invalid('* GenerateContentRequest.contents: contents is not specified\n');
  const empty = contents.findIndex(({ parts }) => parts.length === 0);
  if (empty >= 0)
    return invalid(`* GenerateContentRequest.contents[${empty}].parts: contents.parts must not be empty.\n`);
  return checkTurns(contents) ?? checkSignatures(contents, model) ?? checkTools(body, model);
}

const calls = (content: Content | undefined) => content?.parts.filter(({ functionCall }) => functionCall).length ?? 0;
const responses = (content: Content | undefined) =>
  content?.parts.filter(({ functionResponse }) => functionResponse).length ?? 0;

function checkTurns(contents: Content[]): Problem | null {
  for (const [index, content] of contents.entries()) {
    const before = contents[index - 1];
    if (calls(content) > 0 && before?.role !== 'user')
      return invalid(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    if (responses(content) > 0 && calls(before) === 0)
      return invalid('Please ensure that function response turn comes immediately after a function call turn.');
    const next = contents[index + 1];
    if (calls(content) > 0 && calls(content) !== responses(next))
      return invalid(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
  }
  return null;
}

/** Gemini 3 needs the signature of each step's first call since the user's last text. */
function checkSignatures(contents: Content[], model: string): Problem | null {
  if (!/gemini-[3-9]/.test(model)) return null;
  const lastText = contents.findLastIndex(({ role, parts }) => role === 'user' && parts.some(({ text }) => text));
  for (const [index, { parts }] of contents.entries()) {
    const first = parts.find(({ functionCall }) => functionCall);
    if (first?.functionCall === undefined || index < lastText) continue;
    const { name } = first.functionCall;
    if (first.thoughtSignature === undefined)
      return invalid(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\`, position ${index + 1}.`,
      );
    if (first.thoughtSignature !== SKIPS_CHECK && first.thoughtSignature !== signatureOf(name))
      return invalid('Thought signature is not valid.');
  }
  return null;
}

function checkTools(body: Fields, model: string): Problem | null {
  const declared = declarations(body);
  for (const [index, { parameters }] of declared.entries())
    if (parameters && 'additionalProperties' in parameters)
      return invalid(
        `Invalid JSON payload received. Unknown name "additionalProperties" at 'tools[0].function_declarations[${index}].parameters': Cannot find field.`,
      );
  const { responseMimeType } = (body.generationConfig ?? {}) as { responseMimeType?: string };
  if (declared.length > 0 && responseMimeType === 'application/json' && !/gemini-[3-9]/.test(model))
    return invalid("Function calling with a response mime type: 'application/json' is unsupported");
  return null;
}
