import type { AgentTool, SaveFile } from '@chorus/agent-tools';
import type { AgentToolConfig, AgentWork, ChatCompletionInput, Owner } from '@chorus/contract';
import type { AnswerParts } from '../answer-parts.ts';
import type { ResponseTurn } from './response-turn.ts';

export interface AgentParts extends AnswerParts {
  /** Stores long results. Absent: they are cut. */
  saveFile?: SaveFile;
  /** Opens the tools of an agent for one turn. Those that are not available are left out. */
  openTools(
    owner: Owner,
    tools: readonly AgentToolConfig[],
    options: {
      signal: AbortSignal;
      /** Called for each tool that is left out, with a reason for the user. */
      onUnavailable(tool: { config: AgentToolConfig; reason: string }): void;
    },
  ): Promise<readonly AgentTool[]>;
}

export interface AgentTurn extends ChatCompletionInput {
  agent: AgentWork;
  /** Set for a response, whose caller approves calls and may run some of them. */
  response?: ResponseTurn;
  mayReset: boolean;
  /** Deadline by `performance.now()`. */
  endsAt: number;
}
