/**
 * A counter that every change of credentials increments: of tokens, of members, and of the suspension
 * of accounts. Processes that cache credentials compare it.
 */
import type { ClientSession, Db } from 'mongodb';

const COLLECTION = 'revisions';
const CREDENTIALS = 'credentials';

type Revision = { _id: string; number: number };

export type CredentialRevision = {
  read(): Promise<number>;
  /**
   * Call it after the change, or in the same transaction: a process that reads the new number also
   * finds the change.
   */
  increment(session?: ClientSession): Promise<void>;
};

export function createCredentialRevision(db: Db): CredentialRevision {
  const revisions = db.collection<Revision>(COLLECTION);
  return {
    read: async function readRevision() {
      return (await revisions.findOne({ _id: CREDENTIALS }))?.number ?? 0;
    },
    increment: async function incrementRevision(session) {
      await revisions.updateOne(
        { _id: CREDENTIALS },
        { $inc: { number: 1 } },
        { upsert: true, ...(session && { session }) },
      );
    },
  };
}
