/** Emails that a rule or a hook keeps from their receivers. Without schemas: browsers load it, too. */

/**
 * Programs that ask for email do not get such an email either (`wait`, MCP) until a person releases
 * it; the record is there for people who decide.
 */
export const isWithheld = ({ status }: { status: string }): boolean =>
  status === 'held' || status === 'dropped';
