/** The place of a job in a test of its handler: nobody else wants it. */
export const keptPlace = {
  isWanted: async (): Promise<boolean> => false,
  giveBack: (): never => {
    throw new Error('nobody wants this place');
  },
};
