import type { ColumnName } from './requests.ts';
import type { WaitName } from './waits.ts';

/**
 * How it ends: how the Cell stands after the request, and, where that is something else, once what was waited for is
 * over. `Play.text` says what the words mean.
 */
interface Ends {
  /** What comes of the request, whatever is waited for. */
  readonly rule: string;
  /** Where something else comes of it. */
  readonly except: Readonly<Partial<Record<WaitName, string>>>;
}

const reverted = '0 Reverted VersionBlocked, blocked';
const withdrawn = '0 Completed Serving';
const resumable = '20 Paused WaitingForResume';
const at40 = '40 Paused WaitingForResume';
const done = '100 Completed Serving';
const byAnn = '20 Paused WaitingForResume, by ann';
const byTemporal = '20 Paused WaitingForResume, by Temporal';
const frozen = '20 Paused WaitingForFreeze';
const superseded = '0 Paused WaitingForResume, 3.0.0 at 20';

const takenBack = {
  rule: reverted,
  except: {
    'a throttled increase': `20 RevertBlocked Throttled, blocked → ${reverted}`,
    'a write that applied and answered 500': `40 told 20 RevertBlocked Throttled, blocked → ${reverted}`,
    // It cannot be called back.
    'a write that is on its way': `20 Progressing ShiftingTraffic → ${reverted}`,
    'a status that is refused': `0 told 20 Paused WaitingForResume → ${reverted}`,
    'a status write that hangs': `0 told 20 Paused WaitingForResume → ${reverted}`,
    'a look that is refused': `0 Progressing AccessDenied, blocked → ${reverted}`,
    'a look that hangs': `0 told 20 Reverting Aborted, blocked → ${reverted}`,
  },
} as const;

/** The table of interrupts: what comes of every request, by what is waited for. */
export const table: Readonly<Record<ColumnName, Ends>> = {
  abort: takenBack,
  'cancel in the Web UI': takenBack,
  pause: {
    rule: byAnn,
    except: {
      'a throttled attach': '0 Paused WaitingForResume, by ann',
      'a throttled first increase': '0 Paused WaitingForResume, by ann',
      'a write that applied and answered 500': `40 told 20 Progressing Throttled, by ann → ${byAnn}`,
      'a write that is on its way': `20 Progressing ShiftingTraffic → ${byAnn}`,
      'a bake': '100 Paused WaitingForResume, by ann',
      'a status that is refused': `${resumable} → ${byAnn}`,
      'a status write that hangs': `${resumable} → ${byAnn}`,
      'a look that is refused': `20 Progressing AccessDenied, by ann → ${byAnn}`,
      'a look that hangs': `${resumable} → ${byAnn}`,
    },
  },
  promote: {
    rule: at40,
    except: {
      'a window': `20 Paused WaitingForWindow → ${at40}`,
      'a Freeze': `${frozen} → ${at40}`,
      'unhealthy targets': `20 Progressing WaitingForHealth → ${at40}`,
      'a health read that hangs': `20 Progressing ShiftingTraffic → ${at40}`,
      'a throttled attach': `0 Progressing Throttled → ${resumable}`,
      'a throttled first increase': `0 Progressing Throttled → ${resumable}`,
      'a throttled increase': `20 Progressing Throttled → ${at40}`,
      'a write that applied and answered 500': `40 told 20 Progressing Throttled → ${at40}`,
      'a write that is on its way': `20 Progressing ShiftingTraffic → ${at40}`,
      'an inconclusive background': resumable,
      settle: '20 Progressing WaitingForSettle',
      'a bake': done,
      'a status that is refused': `40 told 20 Paused WaitingForResume → ${at40}`,
      'a status write that hangs': `${resumable} → ${at40}`,
      'a look that is refused': `20 Progressing AccessDenied → ${at40}`,
      'a look that hangs': `${resumable} → ${at40}`,
    },
  },
  promoteFull: {
    rule: done,
    except: {
      'a window': `20 Paused WaitingForWindow → ${done}`,
      'a Freeze': `${frozen} → ${done}`,
      'a health read that hangs': `20 Progressing ShiftingTraffic → ${done}`,
      'a throttled attach': `0 Progressing Throttled → ${done}`,
      'a throttled first increase': `0 Progressing Throttled → ${done}`,
      'a throttled increase': `20 Progressing Throttled → ${done}`,
      'a write that applied and answered 500': `40 told 20 Progressing Throttled → ${done}`,
      'a write that is on its way': `20 Progressing ShiftingTraffic → ${done}`,
      settle: '100 Progressing WaitingForSettle',
      'a status that is refused': `100 told 20 Paused WaitingForResume → ${done}`,
      'a status write that hangs': `${resumable} → ${done}`,
      'a look that is refused': `20 Progressing AccessDenied → ${done}`,
      'a look that hangs': `${resumable} → ${done}`,
    },
  },
  retry: {
    rule: `refused: ${resumable}`,
    except: {
      'a window': `refused: 20 Paused WaitingForWindow → ${at40}`,
      'a Freeze': `refused: ${frozen} → ${at40}`,
      'unhealthy targets': `refused: 20 Progressing WaitingForHealth → ${at40}`,
      'a health read that hangs': `refused: 20 Progressing ShiftingTraffic → ${at40}`,
      'a throttled attach': `0 Progressing Throttled → ${resumable}`,
      'a throttled first increase': `0 Progressing Throttled → ${resumable}`,
      'a throttled increase': `20 Progressing Throttled → ${at40}`,
      'a write that applied and answered 500': `40 told 20 Progressing Throttled → ${at40}`,
      'a write that is on its way': `refused: 20 Progressing ShiftingTraffic → ${at40}`,
      'an analysis': 'refused: 20 Progressing WaitingForAnalysis',
      'an experiment': 'refused: 20 Progressing WaitingForExperiment',
      // It is measured again, and is as before.
      'an inconclusive analysis': '20 Paused WaitingForVerdict',
      'an inconclusive background': '20 Paused WaitingForVerdict',
      'a hold': '20 Progressing AnalysisTemplateNotFound → 20 Progressing WaitingForAnalysis',
      settle: 'refused: 20 Progressing WaitingForSettle',
      'a bake': 'refused: 100 Progressing WaitingForBake',
      'a look that is refused': `refused: 20 Progressing AccessDenied → ${resumable}`,
    },
  },
  'pin of the stable version': {
    rule: withdrawn,
    except: {
      'a throttled increase': `20 RevertBlocked Throttled → ${withdrawn}`,
      'a write that applied and answered 500': `40 told 20 RevertBlocked Throttled → ${withdrawn}`,
      'a write that is on its way': `20 Progressing ShiftingTraffic → ${withdrawn}`,
      'a status that is refused': `0 told 20 Paused WaitingForResume → ${withdrawn}`,
      'a status write that hangs': `${resumable} → ${withdrawn}`,
      'a look that is refused': `20 Progressing AccessDenied → ${withdrawn}`,
      'a look that hangs': `${resumable} → ${withdrawn}`,
    },
  },
  Freeze: {
    rule: `${frozen} → ${reverted}`,
    except: {
      'a pause': `${resumable} → ${reverted}`,
      'a window': `${frozen} → ${frozen} → ${reverted}`,
      'a Freeze': `${frozen} → ${frozen} → ${reverted}`,
      'unhealthy targets': `${frozen} → ${frozen} → ${reverted}`,
      'a health read that hangs': `${frozen} → ${frozen} → ${reverted}`,
      'a throttled attach': `0 Paused WaitingForFreeze → 0 Paused WaitingForFreeze → ${reverted}`,
      'a throttled first increase': `0 Paused WaitingForFreeze → 0 Paused WaitingForFreeze → ${reverted}`,
      'a throttled increase': `${frozen} → ${frozen} → ${reverted}`,
      'a write that applied and answered 500': `40 told 20 Progressing Throttled → ${frozen} → ${reverted}`,
      'a write that is on its way': `20 Progressing ShiftingTraffic → ${frozen} → ${reverted}`,
      'an analysis': `20 Progressing WaitingForAnalysis → ${reverted}`,
      'an experiment': `20 Progressing WaitingForExperiment → ${reverted}`,
      'an inconclusive analysis': `20 Paused WaitingForVerdict → ${reverted}`,
      'an inconclusive background': `20 Paused WaitingForVerdict → ${reverted}`,
      'a hold': `${frozen} → ${frozen} → ${reverted}`,
      settle: `20 Progressing WaitingForSettle → ${reverted}`,
      'a bake': `100 Progressing WaitingForBake → ${reverted}`,
      'a status that is refused': `${resumable} → ${resumable} → ${reverted}`,
      'a status write that hangs': `${resumable} → ${resumable} → ${reverted}`,
      'a look that is refused': `20 Progressing AccessDenied → ${resumable} → ${reverted}`,
      'a look that hangs': `${resumable} → ${resumable} → ${reverted}`,
    },
  },
  delete: {
    rule: '20 closed',
    except: {
      'a throttled attach': '0 closed',
      'a throttled first increase': '0 closed',
      'a write that applied and answered 500': '40 closed',
      'a write that is on its way': '20 gone → 40 closed',
      'a bake': '100 closed',
      'a status write that hangs': '20 gone → 20 closed',
      'a look that is refused': '20 gone → 20 closed',
      'a look that hangs': '20 gone → 20 closed',
    },
  },
  supersede: {
    rule: superseded,
    except: {
      'a window': `0 Waiting WaitingForWindow → ${superseded}`,
      'a Freeze': `0 Waiting WaitingForFreeze → ${superseded}`,
      'a health read that hangs': `0 Progressing AttachingTargetGroups → ${superseded}`,
      'a throttled attach': `0 Progressing Throttled → ${superseded}`,
      'a throttled first increase': `0 Progressing Throttled → ${superseded}`,
      'a throttled increase': `20 RevertBlocked Throttled → ${superseded}`,
      'a write that applied and answered 500': `40 told 20 RevertBlocked Throttled → ${superseded}`,
      'a write that is on its way': `20 Progressing ShiftingTraffic → ${superseded}`,
      'an analysis': '0 Progressing WaitingForAnalysis, 3.0.0 at 20',
      'an experiment': '0 Progressing WaitingForExperiment, 3.0.0 at 20',
      'an inconclusive analysis': '0 Paused WaitingForVerdict, 3.0.0 at 20',
      'an inconclusive background': '0 Paused WaitingForVerdict, 3.0.0 at 20',
      'a hold':
        '0 Progressing AnalysisTemplateNotFound, 3.0.0 at 20 → 0 Progressing WaitingForAnalysis, 3.0.0 at 20',
      settle: '0 Progressing WaitingForSettle, 3.0.0 at 20',
      'a bake': '100 Progressing WaitingForBake',
      'a status that is refused': `0 told 20 Paused WaitingForResume, 3.0.0 at 20 → ${superseded}`,
      'a status write that hangs': `${resumable} → ${superseded}`,
      'a look that is refused': `20 Progressing AccessDenied → ${superseded}`,
      'a look that hangs': `${resumable} → ${superseded}`,
    },
  },
  'terminate in the Web UI': {
    rule: `${byTemporal} → ${resumable}`,
    except: {
      'a window': `${byTemporal} → ${byTemporal} → ${at40}`,
      'a Freeze': `${byTemporal} → ${byTemporal} → ${at40}`,
      'unhealthy targets': `${byTemporal} → ${byTemporal} → ${at40}`,
      'a health read that hangs': `${byTemporal} → ${byTemporal} → ${at40}`,
      'a throttled attach': `0 Paused WaitingForResume, by Temporal → 0 Paused WaitingForResume, by Temporal → ${resumable}`,
      'a throttled first increase': `0 Paused WaitingForResume, by Temporal → 0 Paused WaitingForResume, by Temporal → ${resumable}`,
      'a throttled increase': `${byTemporal} → ${byTemporal} → ${at40}`,
      'a write that applied and answered 500': `40 told 20 Progressing Throttled, by Temporal → ${byTemporal} → ${at40}`,
      // What the lost run has sent is withdrawn by a write, whatever a read shows, and that hangs as well.
      'a write that is on its way': `20 Progressing Restoring, by Temporal → ${byTemporal} → ${at40}`,
      'an analysis': `${byTemporal} → 20 Progressing WaitingForAnalysis`,
      'an experiment': `${byTemporal} → 20 Progressing WaitingForExperiment`,
      'an inconclusive analysis': `${byTemporal} → 20 Paused WaitingForVerdict`,
      'an inconclusive background': `${byTemporal} → 20 Paused WaitingForVerdict`,
      'a hold': `${byTemporal} → ${byTemporal} → 20 Progressing WaitingForAnalysis`,
      // Nobody knows how long the weight has been served, so that it settles from now on.
      settle: `${byTemporal} → 20 Progressing WaitingForSettle`,
      'a bake': '100 Paused WaitingForResume, by Temporal → 100 Progressing WaitingForBake',
      'a status that is refused': `${resumable} → ${byTemporal} → ${resumable}`,
      'a status write that hangs': `${resumable} → ${byTemporal} → ${resumable}`,
      'a look that is refused': `20 Progressing AccessDenied → ${byTemporal} → ${resumable}`,
      'a look that hangs': `${resumable} → ${byTemporal} → ${resumable}`,
    },
  },
};
