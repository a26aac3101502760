package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// localConfig is what "ballast up" wrote for the master of the cluster in the current folder.
const localConfig = ".ballast/master.yaml"

// local is the address of that cluster's master; without one in this folder (found is false), of a master on the usual port.
func local() (url string, found bool, err error) {
	text, err := os.ReadFile(filepath.FromSlash(localConfig))
	if errors.Is(err, fs.ErrNotExist) {
		return localMaster, false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("find the cluster of this folder: %w", err)
	}
	var config struct {
		Listen string `yaml:"listen"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return "", false, fmt.Errorf("find the cluster of this folder: %s: %w", localConfig, err)
	}
	if config.Listen == "" {
		return localMaster, true, nil
	}
	return "http://" + config.Listen, true, nil
}
