/** What is wrong with an expression, and where. */

/** The position counts characters from 0. */
export type ExpressionFault = { message: string; position: number };

export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly fault: ExpressionFault;

  constructor(fault: ExpressionFault) {
    super(fault.message);
    this.fault = fault;
  }
}
