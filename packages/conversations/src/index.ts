export {
  type ExpectedRevision,
  editMessage,
  messageHistory,
  removeMessage,
  undoEdit,
} from './message-changes.ts';
export { removeSession } from './remove-session.ts';
export {
  abandonTurn,
  checkTurn,
  type OpenedTurn,
  regenerateTurn,
  restartTurn,
  startTurn,
  type TurnRequest,
} from './turn.ts';
export { turnContext } from './turn-context.ts';
