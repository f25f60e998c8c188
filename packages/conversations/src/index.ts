export { changeAgent, createAgent, removeAgent } from './agents.ts';
export { answerText, followTurn, succeeded, type TurnListener } from './follow-turn.ts';
export { listSessions } from './list-sessions.ts';
export { checkTurn } from './lock-session.ts';
export {
  cutAnswer,
  editMessage,
  messageHistory,
  removeMessage,
  undoEdit,
} from './message-changes.ts';
export { toConversation } from './openai-messages.ts';
export { removeSession } from './remove-session.ts';
export { samplingSettingsOf } from './sampling-settings.ts';
export { spokenTurn } from './spoken-turn.ts';
export {
  abandonTurn,
  checkRegeneration,
  type OpenedTurn,
  type PlannedTurn,
  planTurn,
  regenerateTurn,
  restartTurn,
  startTurn,
  type TurnRequest,
} from './turn.ts';
export { type ContextMessage, estimateTokens, type TurnContext, turnContext } from './turn-context.ts';
export { agentOf, type ModelChoice, turnKnowledge, turnSettings } from './turn-settings.ts';
export { TurnStages } from './turn-stages.ts';
export {
  regeneratedTurn,
  repeatedTurn,
  sessionTurn,
  statelessTurn,
  type TurnSettings,
  type TurnWork,
  turnWork,
} from './turn-work.ts';
export { checkFields, checkSettings } from './unsupported-fields.ts';
export { createVoiceLines, type LineHolder, type VoiceLines } from './voice-lines.ts';
export { createVoiceMarks, type VoiceMark, type VoiceMarks } from './voice-marks.ts';
export { createVoiceStates, type VoiceStates } from './voice-states.ts';
