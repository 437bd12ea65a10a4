import type { Examples } from '../help.ts';

export const examples: Examples = {
  get: [
    'okractl get                          # all Cells of the namespace',
    'okractl get -A -o wide               # all Cells, with all columns',
    'okractl get freezes',
    'okractl get cell/web -o yaml',
    'okractl get web --watch              # then a row for each change',
  ],
  describe: ['okractl describe web', 'okractl describe sbp/nginx'],
  watch: [
    'okractl watch                        # all rollouts of the namespace',
    'okractl watch web',
    'okractl watch web --until-settled --timeout 30m   # in a pipeline',
  ],
  history: ['okractl history web', 'okractl history web -o json'],
  plan: [
    'okractl plan web                     # what the Cell does next',
    'okractl plan web --assume 2.0.0      # what it would do with this version',
    'okractl plan --offline -f web.yaml   # without a cluster',
  ],
  lint: [
    'okractl lint -f manifests/',
    'okractl lint --offline -f web.yaml',
    'helm template . | okractl lint -f -',
  ],
  pause: ['okractl pause web --reason "looking into errors"', 'okractl pause sbp/nginx'],
  resume: ['okractl resume web', 'okractl resume web --of 2.0.0 --step 3'],
  promote: [
    'okractl promote web                  # finishes the current step',
    'okractl promote web --of 2.0.0 --step 3',
    'okractl promote web --full --yes     # all traffic at once, without asking',
    'okractl promote web --dry-run        # whether it would be accepted; sends nothing',
    'okractl promote sbp/nginx --stage dev',
  ],
  abort: [
    'okractl abort web --reason "errors in checkout"',
    'okractl abort sbp/nginx',
    'okractl abort web --dry-run',
  ],
  retry: ['okractl retry web', 'okractl retry web --timeout 1m'],
  approve: ['okractl approve web --of 2.0.0 --step 4 --reason "checked by sre"'],
  rollback: [
    'okractl rollback web --to 1.9.0 --reason "errors in checkout"',
    'okractl rollback web --to 1.9.0 --dry-run   # how 1.9.0 would get the traffic; changes nothing',
    'okractl rollback sbp/nginx --to dev',
  ],
  freeze: [
    'okractl freeze --reason "incident 42"              # until okractl unfreeze',
    'okractl freeze sale -A --for 48h --reason "sale"   # all namespaces, for two days',
    'okractl freeze --until 2027-01-02T08:00:00Z --reason "holidays"',
  ],
  unfreeze: ['okractl unfreeze sale', 'okractl unfreeze --all --yes   # without asking'],
  dashboard: ['okractl dashboard', 'okractl dashboard -n shop --port 8080 --no-open'],
  open: ['okractl open web', 'okractl open web --print --ui https://temporal.example.com'],
  check: [
    'okractl check',
    'okractl check --okrad okra/okra   # also what okrad may do',
    'okractl check --as ann --as-group sre   # what someone else may do',
  ],
  trace: [
    'okractl trace awstargetgroup/web-a',
    'okractl trace arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/web-a/0123456789abcdef',
  ],
  convert: ['okractl convert -f old.yaml > new.yaml', 'okractl convert --offline -f old/'],
  'create analysisrun': [
    'okractl create analysisrun --template-name success-rate --args service-name=web',
    'okractl create analysisrun --template-name success-rate --args service-name=web --dry-run',
  ],
  'update analysisrun': ['okractl update analysisrun r1 --phase Failed --message "too many errors"'],
  'run analysis': [
    'okractl run analysis r1 --template-name success-rate --args service-name=web --wait --timeout 15m',
  ],
  completion: ['source <(okractl completion bash)', 'okractl completion fish | source'],
  options: ['okractl options'],
  version: ['okractl version', 'okractl version --client'],
};
