/** What an assistant might say; without numbers, which a transcript may write in two ways. */
export const SENTENCES = [
  'Good morning. I found three documents that mention the harbor.',
  'The first train leaves early in the morning, and the last one shortly before midnight.',
  "I'm sorry, I didn't quite catch that. Could you say it again, please?",
  'The weather will be cloudy at first, with some sunshine in the afternoon.',
  'You can cancel the order within two weeks, but the shipping costs are not refunded.',
  'Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.',
  'Let me summarize the main points: the budget was approved, and the schedule was moved.',
  'Their neighbors thought that the knight had caught a cold through the night.',
  'To restart the server, press the power button and hold it for a few seconds.',
  'Shakespeare wrote comedies, tragedies and histories, besides many sonnets.',
  'She sells colorful vegetables, cheese and orange juice at the Wednesday market.',
  'That is a question for your doctor or your pharmacist.',
];
