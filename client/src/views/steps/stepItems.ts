/** The nodes of the Steps tree as VS Code shows them. */
import * as vscode from 'vscode';
import { printableLine } from '../../../../schemas/text/printable';
import { wholeNumber as count } from '../../../../schemas/text/spending';
import { modelOfStep } from '../../runtime/acting';
import { isFreeStep } from '../../runtime/freeModels';
import type { TraceReader } from '../../runtime/traceReader';
import type { BranchNode, GroupNode, StepNode, StepsOutline } from './stepsOutline';
import { describeStep } from './stepTexts';

/** @param isHere whether the session stands in this step */
export function stepItem(node: StepNode, reader: TraceReader, isHere: boolean): vscode.TreeItem {
  const summary = reader.summary(node.list.branch, node.step);
  const { branch } = node.list;
  const { header, branches } = reader;
  const { acting } = branches.find(({ id }) => id === branch) ?? {};
  const texts = describeStep(summary, {
    isHere,
    isFree: isFreeStep(reader, branch, node.step),
    model: header && acting && modelOfStep(header, acting, node.step),
  });
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(texts.label, node.parts ? Collapsed : None);
  item.id = node.id;
  item.description = texts.description;
  item.tooltip = texts.tooltip;
  item.iconPath = new vscode.ThemeIcon(texts.icon.codicon, new vscode.ThemeColor(texts.icon.color));
  item.accessibilityInformation = { label: texts.spoken };
  item.contextValue = [
    'step',
    ...(summary.action === undefined ? [] : ['action']),
    ...(summary.attempts === 0 ? [] : ['reply']),
    ...(summary.changedCount === 0 ? [] : ['change']),
  ].join(' ');
  item.command = { command: 'skill-state.openStep', title: 'Open Step', arguments: [node] };
  return item;
}

/** The last group is open, since that is where a run goes on. */
export function groupItem(
  node: GroupNode,
  reader: TraceReader,
  outline: StepsOutline,
  isFiltered: boolean,
): vscode.TreeItem {
  const { first, last, count: size } = outline.extent(node);
  const isLast = last >= outline.stepsOf(node.list.branch) - 1;
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(`Steps ${first}–${last}`, isLast ? Expanded : Collapsed);
  const facts = isFiltered ? [`${size} found`] : groupFacts(reader, node.list.branch, first, last + 1);
  item.id = node.id;
  item.contextValue = 'group';
  item.description = facts.join(' · ');
  item.accessibilityInformation = { label: [`Steps ${first} to ${last}`, ...facts].join(', ') };
  return item;
}

function groupFacts(reader: TraceReader, branch: number, from: number, to: number): string[] {
  const before = reader.totals(branch, from);
  const after = reader.totals(branch, to);
  const tokens = after.promptTokens + after.completionTokens - before.promptTokens - before.completionTokens;
  const estimated = after.estimatedTokens - before.estimatedTokens;
  const rejected = sum(after.rejected) - sum(before.rejected);
  const warnings = sum(after.warnings) - sum(before.warnings);
  return [
    `${estimated > 0 ? '≈' : ''}${count(tokens)} tokens`,
    ...(rejected > 0 ? [`${count(rejected)} rejected`] : []),
    ...(warnings > 0 ? [`⚠ ${count(warnings)}`] : []),
  ];
}

function sum(counts: Readonly<Record<string, number | undefined>>): number {
  return Object.values(counts).reduce<number>((total, value) => total + (value ?? 0), 0);
}

/** A branch where it parts from the line above it. */
export function branchItem(node: BranchNode, { branches }: TraceReader): vscode.TreeItem {
  const item = new vscode.TreeItem(`Branch ${node.branch}`, vscode.TreeItemCollapsibleState.Collapsed);
  const branch = branches.find(({ id }) => id === node.branch);
  const steps = (branch?.steps ?? 0) - node.step;
  const facts = [
    node.branch === 0 ? 'the original run' : `forked in step ${branch?.ownFrom ?? node.step}`,
    `${count(steps)} ${steps === 1 ? 'step' : 'steps'} from here`,
    ...(branch?.skill === undefined ? [] : ['edited skill']),
    ...(branch?.end === undefined ? [] : [branch.end.outcome]),
  ];
  item.id = node.id;
  item.description = facts.join(' · ');
  item.tooltip = branch?.end === undefined ? undefined : printableLine(branch.end.reason);
  item.iconPath = new vscode.ThemeIcon('git-branch');
  item.accessibilityInformation = { label: [`Branch ${node.branch}`, ...facts].join(', ') };
  item.contextValue = 'branch';
  return item;
}
