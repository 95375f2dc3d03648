/** Clients tell failures apart by their numbers. */
import { expect, it } from 'vitest';
import { failures, messageOf, rewindAdvice } from '../../../client/src/debug/errors';
import { RewindFailure, RunFailure } from '../../../client/src/runtime/runFailure';

it('failures of different kinds have different numbers', () => {
  const numbers = [
    failures.unknownRequest('x'),
    failures.badArguments('x', 'y'),
    failures.uriPaths(),
    failures.notInitialized('x'),
    failures.initializedTooLate(),
    failures.internal('x'),
    failures.badConfiguration('x'),
    failures.launchFailed('x'),
    failures.attachUnsupported(),
    failures.alreadyLaunched(),
    failures.launchAborted(),
    failures.stillLaunching(),
    failures.notLaunched(),
    failures.running(),
    failures.ended(),
    failures.unknownThread(2),
    failures.forkRefused('x'),
    failures.rewindMissing('x'),
    failures.noSuchPlace('x'),
    failures.unknownTarget(1),
    failures.wentOn(),
    failures.noException(),
    failures.noExchange('x'),
    failures.questionGone(),
    failures.noReplyAwaited(),
    failures.samplingRefused('x'),
    failures.expiredReference('x', 1),
    failures.unknownSource(1),
    failures.unreadableSource('x'),
    failures.evaluation('x'),
    failures.unknownVariable('x'),
    failures.editRefused('x'),
  ].map(({ response }) => response.id);
  expect(numbers).toHaveLength(Object.keys(failures).length);
  expect(new Set(numbers).size).toBe(numbers.length);
});

it('a failure that a launch attribute lifts says which, and no other one does', () => {
  expect(messageOf(new RewindFailure('It can not be taken back.'))).toBe(
    `It can not be taken back. ${rewindAdvice}`,
  );
  expect(messageOf(new RunFailure('It is over.'))).toBe('It is over.');
  expect(messageOf('a text')).toBe('a text');
});
