/** What is wrong with an expression, and where. */

/** The position counts characters from 0. */
export type ExpressionFault = { message: string; position: number };

export const faultText = ({ message, position }: ExpressionFault): string =>
  `${message} (at character ${position})`;

const RECORDED_MAX_CHARS = 200;

/** As the record of an email has it: a message can quote the expression. */
export const recordedFault = ({ message, position }: ExpressionFault): string =>
  faultText({ message: message.slice(0, RECORDED_MAX_CHARS), position });

export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly fault: ExpressionFault;

  constructor(fault: ExpressionFault) {
    super(fault.message);
    this.fault = fault;
  }
}
